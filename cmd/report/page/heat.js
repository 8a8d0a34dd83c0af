// SPDX-License-Identifier: Apache-2.0
// Heat: a cell for each row, in the order of the words of both axes.
draw.heat = (chart, all, width) => {
  const {data} = chart;
  const {x, y, value} = chart.role;
  if (x === y) return {message: element("p", {class: "empty"}, "Choose two different parameters."), rows: [], missing: []};
  const {rows, missing} = having(data, [value], all.filter(r => data.value(x, r) !== "" && data.value(y, r) !== ""));
  const here = name => data.words(name).filter(w => all.some(r => data.value(name, r) === w));
  const xs = here(x), ys = here(y);
  const scale = data.scale(value, rows);
  const v = r => data.value(value, r) * scale.factor;
  const [low, high] = d3.extent(rows, v);
  const bright = r => high > low && (v(r) - low) / (high - low) > 0.55;
  const left = margin(ys, width);
  const place = {x: r => data.value(x, r), y: r => data.value(y, r)};
  const plot = plotted({
    width: Math.min(width, left + 40 + 130 * xs.length), height: 90 + 40 * ys.length, marginLeft: left, marginTop: 28, marginBottom: 44, padding: 0.03,
    x: {type: "band", domain: xs, label: data.title(x), tickSize: 0}, y: {type: "band", domain: ys, label: data.title(y), labelAnchor: "top", labelArrow: "none", tickSize: 0},
    color: {scheme: "viridis", label: titled(data.title(value), scale.unit), domain: low < high ? [low, high] : undefined},
    marks: [
      Plot.cell(missing, {...place, fill: "var(--absent)"}),
      Plot.text(missing, {...place, text: () => "none", fill: "currentColor"}),
      Plot.cell(rows, {...place, fill: v, ariaLabel: "values", tip: {format: {x: false, y: false, fill: false}}, title: r => describe(chart, r)}),
      Plot.text(rows, {...place, text: r => digits(v(r)), fill: r => bright(r) ? "#000" : "#fff", pointerEvents: "none"}),
    ],
  });
  const note = titled(data.title(value), scale.unit) + (rows.length ? ": from " + digits(low) + " (dark) to " + digits(high) + " (bright)" : "");
  return {plots: [plot], rows, missing, note, marks: "g[aria-label=values] rect", owner: rows};
};
