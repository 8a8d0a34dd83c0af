// Colours of names that mean the same in every chart; style.css has their values.
const named = new Set(["issued", "idle", "fetch", "barrier", "memory", "compute", "unit", "lsu", "operand", "fence"]);

// colourOf gives the colour of a name: its own, or by its place among others.
function colourOf(name, place) {
  return named.has(name) ? "var(--slot-" + name + ")" : "var(--colour-" + (place % 10) + ")";
}

function coloursOf(names) { return names.map(colourOf); }

// legend names the colours of a chart.
function legend(names) {
  return element("ul", {class: "legend"}, ...names.map((name, i) => {
    const swatch = element("span", {class: "swatch", "aria-hidden": "true"});
    swatch.style.background = colourOf(name, i);
    return element("li", {}, swatch, name);
  }));
}
