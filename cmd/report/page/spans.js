// SPDX-License-Identifier: Apache-2.0
// Spans: bars from X to Y on their tracks.
draw.spans = (chart, all, width) => {
  const {spec, data} = chart;
  const {x, y, colour} = chart.role;
  const {rows, missing} = having(data, [x, y], all);
  const tracks = data.words(spec.track).filter(w => rows.some(r => data.value(spec.track, r) === w));
  const words = data.words(colour), used = words.filter(w => rows.some(r => data.value(colour, r) === w));
  const scale = scaleOf(data.column(y).unit, d3.max(rows, r => data.value(y, r)));
  const left = margin(tracks, width);
  const plot = plotted({
    width, height: 60 + 30 * tracks.length, marginLeft: left, marginTop: 8, marginBottom: 40,
    x: {label: titled("time since the start of the run", scale.unit), grid: true},
    y: {type: "band", domain: tracks, label: null, padding: 0.15, tickSize: 0},
    color: {domain: words, range: coloursOf(words)},
    marks: [Plot.barX(rows, {x1: r => data.value(x, r) * scale.factor, x2: r => data.value(y, r) * scale.factor, y: r => data.value(spec.track, r),
      fill: r => data.value(colour, r), stroke: "var(--surface)", strokeWidth: 0.5, tip: {format: {x1: false, x2: false, y: false, fill: false, x: false}}, title: r => describe(chart, r)})],
  });
  return {plots: [legendOf(words, used), plot], rows, missing, marks: "g[aria-label=bar] rect", owner: rows};
};
