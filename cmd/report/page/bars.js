// SPDX-License-Identifier: Apache-2.0
// Bars: a row's series beside one another.
draw.bars = (chart, all, width) => {
  const {spec, data, options} = chart;
  const has = r => spec.series.some(s => data.value(s, r) != null);
  let rows = all.filter(has);
  const sum = r => d3.sum(spec.series, s => data.value(s, r) ?? 0);
  if (spec.sort) rows = d3.sort(rows, r => -sum(r));
  const found = rows.length;
  if (spec.few) rows = rows.slice(0, spec.few);
  const names = uniqueNames(rows.map(r => labelOf(chart, r)));
  const series = spec.series.filter(s => rows.some(r => data.value(s, r)));
  const scale = scaleOf(data.column(spec.series[0]).unit, d3.max(rows, sum));
  const flat = [];
  rows.forEach((row, i) => series.forEach(s => {
    const v = data.value(s, row);
    if (v != null) flat.push({row, name: names[i], series: data.title(s), v: options.share ? 100 * v / (sum(row) || 1) : v * scale.factor});
  }));
  const titles = series.map(s => data.title(s));
  const colours = seriesColours(data, series);
  const left = margin(names, width);
  const plot = plotted({
    width, height: 20 * rows.length + 46, marginLeft: left, marginTop: 36, marginBottom: 6,
    x: {label: options.share ? "share of the bar [%]" : titled(spec.series.length > 1 ? "" : data.title(spec.series[0]), scale.unit), axis: "top", grid: true, nice: false},
    y: {domain: names, label: spec.sort ? null : shownLabels(chart), labelAnchor: "top", labelArrow: "none", tickFormat: n => shortened(n, Math.floor((left - 12) / 6.8)), tickSize: 0},
    color: {domain: titles, range: colours},
    marks: [
      Plot.barX(flat, Plot.stackX({x: "v", y: "name", fill: "series", order: titles, insetTop: 1, insetBottom: 1,
        tip: {format: {x: false, y: false, fill: false}}, title: d => d.series + ": " + digits(d.v) + " " + (options.share ? "%" : scale.unit) + "\n\n" + describe(chart, d.row)})),
      Plot.ruleX(spec.rule && !options.share ? [0, spec.rule * scale.factor] : [0]),
    ],
  });
  const plots = series.length > 1 ? [legend(titles, colours), plot] : [plot];
  const note = found > rows.length ? "The " + rows.length + " longest of " + whole.format(found) + " " + data.rows + "." : "";
  return {plots, rows, note, missing: spec.partial ? [] : all.filter(r => !has(r)), marks: "g[aria-label=bar] rect", owner: flat.map(d => d.row)};
};

// uniqueNames tells equal names apart.
function uniqueNames(names) {
  const seen = new Map();
  return names.map(n => {
    const k = (seen.get(n) || 0) + 1;
    seen.set(n, k);
    return k > 1 ? n + " (" + k + ")" : n;
  });
}
