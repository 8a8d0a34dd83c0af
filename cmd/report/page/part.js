// SPDX-License-Identifier: Apache-2.0
// partOf makes what a part of a section shows.
function partOf(part) {
  try {
    if (part.facts) return factsPart(part.facts);
    if (part.table) return tablePart(part.table);
    if (part.chart) return chartPart(part.chart);
    if (part.picture) return picturePart(part.picture);
    if (part.listing) return listingPart(part.listing);
    return element("ul", {class: "notes"}, ...(part.notes || []).map(n => element("li", {}, n)));
  } catch (e) {
    return failed(e);
  }
}

function factsPart(facts) {
  return element("dl", {class: "facts"}, ...facts.map(f => element("div", {}, element("dt", {}, f.name), element("dd", {}, f.value),
    f.note ? element("dd", {class: "note"}, f.note) : null)));
}

// picturePart shows a drawing as an image, in which no program runs.
function picturePart(picture) {
  const bytes = new TextEncoder().encode(picture.svg);
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return element("figure", {class: "picture"}, element("figcaption", {}, picture.title),
    element("div", {class: "frame", tabindex: "0", role: "region", "aria-label": picture.title},
      element("img", {src: "data:image/svg+xml;base64," + btoa(text), alt: picture.alternative})));
}

function listingPart(listing) {
  return element("figure", {class: "listing"}, element("figcaption", {}, listing.title),
    element("pre", {tabindex: "0", role: "region", "aria-label": listing.title}, listing.text));
}
