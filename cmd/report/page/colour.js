// SPDX-License-Identifier: Apache-2.0
// Colours of names that mean the same in every chart; style.css has their values.
const named = new Set(["issued", "idle", "fetch", "barrier", "memory", "compute", "unit", "lsu", "operand", "fence"]);

const hues = 12; // that style.css has

// colourOf gives the colour of a name: its own, or by its place among others.
function colourOf(name, place) {
  return named.has(name) ? "var(--slot-" + name + ")" : "var(--colour-" + (place % hues) + ")";
}

function coloursOf(names) { return names.map(colourOf); }

// seriesColours gives the colours of columns: those that are like another one have its
// hue, paler.
function seriesColours(data, series) {
  const own = series.map(s => data.column(s).like || s);
  const distinct = [...new Set(own)];
  return series.map((s, i) => {
    const hue = colourOf(data.title(own[i]), distinct.indexOf(own[i]));
    return own[i] === s ? hue : "color-mix(in srgb, " + hue + " 50%, var(--surface))";
  });
}

// legend names the colours of a chart.
function legend(names, colours = coloursOf(names)) {
  return element("ul", {class: "legend"}, ...names.map((name, i) => {
    const swatch = element("span", {class: "swatch", "aria-hidden": "true"});
    swatch.style.background = colours[i];
    return element("li", {}, swatch, name);
  }));
}
