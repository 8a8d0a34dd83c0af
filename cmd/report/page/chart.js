// SPDX-License-Identifier: Apache-2.0
const draw = {}; // by kind of chart

// undrawn are functions that draw charts, to be called when these have a width.
const undrawn = [];

// chartPart makes a chart with its controls.
function chartPart(spec) {
  const data = datasets[spec.data];
  const filters = new Filters(data, spec.one, spec.any);
  const chart = {spec, data, filters, role: {}, options: {log: !!spec.log, share: false}};
  for (const role of ["x", "y", "value", "colour"]) chart.role[role] = (spec[role] || [])[0];
  // shown are the columns that are drawn now.
  chart.shown = () => ["x", "y", "value", "colour"].map(role => chart.role[role]).filter(Boolean);
  const output = element("output", {class: "readout", "aria-live": "polite"});
  const drawing = element("div", {class: "drawing", tabindex: "0", role: "group",
    "aria-label": spec.title + ": the arrow keys go through the " + data.rows});
  const below = element("div");
  const controls = element("div", {class: "controls"}, ...roleControls(chart, redraw), ...filters.controls(redraw), ...optionControls(chart, redraw));
  const figure = element("figure", {class: "chart", "data-kind": spec.kind}, element("figcaption", {}, spec.title), controls, drawing, output, below);
  const forget = reader(drawing, output, chart);
  let width = 0;
  function redraw() {
    width = figure.clientWidth;
    if (!width) return;
    forget();
    try {
      chart.drawn = draw[spec.kind](chart, filters.rows(free(chart)), Math.min(width, 1100));
    } catch (e) {
      chart.drawn = {message: failed(e), rows: [], missing: []};
    }
    const {rows, plots, message} = chart.drawn;
    drawing.replaceChildren(...(rows.length ? plots : [message || element("p", {class: "empty"}, "There are no " + data.rows + " to draw with these choices.")]));
    const list = missing(chart, chart.drawn.missing);
    below.replaceChildren(...(chart.drawn.note ? [element("p", {class: "note"}, chart.drawn.note)] : []), ...(list ? [list] : []));
  }
  new ResizeObserver(() => { if (figure.clientWidth !== width) redraw(); }).observe(figure);
  undrawn.push(redraw);
  return figure;
}

// free are the columns that an axis spreads, so that no filter selects by them.
function free(chart) { return chart.spec.kind === "heat" ? [chart.role.x, chart.role.y] : chart.spec.kind === "lines" ? [chart.role.x] : []; }

const roleTitles = {
  heat: {x: "across", y: "down", value: "value"}, lines: {x: "across", y: "value", colour: "colour"},
  scatter: {x: "across", y: "up", colour: "colour"}, bars: {}, spans: {colour: "colour"},
};

function roleControls(chart, redraw) {
  const titles = roleTitles[chart.spec.kind];
  return Object.keys(titles).filter(role => (chart.spec[role] || []).length > 1).map(role => {
    const names = chart.spec[role];
    return choice(titles[role], names.map(value => ({value, title: titled(chart.data.title(value), chart.data.column(value).unit)})), names[0], v => {
      chart.role[role] = v;
      redraw();
    });
  });
}

function optionControls(chart, redraw) {
  const list = [];
  if (chart.spec.share) list.push(tick("shares of each bar", false, v => { chart.options.share = v; redraw(); }));
  if (chart.spec.kind === "scatter" && !chart.spec.roofs) list.push(tick("logarithmic", chart.options.log, v => { chart.options.log = v; redraw(); }));
  return list;
}

// having parts rows by whether they have all the values.
function having(data, names, rows) {
  const has = r => names.every(name => { const v = data.value(name, r); return v != null && v !== ""; });
  return {rows: rows.filter(has), missing: rows.filter(r => !has(r))};
}

// plotted calls Plot with what all charts have in common.
function plotted(options) {
  const plot = Plot.plot({style: {background: "transparent", fontSize: "12px", overflow: "visible"}, ...options});
  plot.setAttribute("role", "img");
  return plot;
}

// shortened keeps the ends of a text that is too long for its place.
function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + "…" + text.slice(text.length - Math.floor(most / 2));
}

// margin is the room for names beside an axis, in pixels.
function margin(names, width) { return Math.min(0.42 * width, 18 + 7 * (d3.max(names, n => n.length) || 1)); }

// failed shows an error of the page itself.
function failed(e) { return element("p", {class: "failed", role: "alert"}, "This part of the page has failed: " + e); }
