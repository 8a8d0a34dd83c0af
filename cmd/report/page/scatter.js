// SPDX-License-Identifier: Apache-2.0
// Scatter: a dot for each row.
draw.scatter = (chart, all, width) => {
  const {spec, data, options} = chart;
  const {x, y, colour} = chart.role;
  let {rows, missing} = having(data, [x, y], all);
  const log = options.log;
  if (log) {
    const positive = r => data.value(x, r) > 0 && data.value(y, r) > 0;
    missing = missing.concat(rows.filter(r => !positive(r)));
    rows = rows.filter(positive);
  }
  const sx = data.scale(x, rows), sy = data.scale(y, rows);
  const px = r => data.value(x, r) * sx.factor, py = r => data.value(y, r) * sy.factor;
  const words = colour ? data.words(colour) : [];
  const used = words.filter(w => rows.some(r => data.value(colour, r) === w));
  const marks = [];
  if (spec.roofs) marks.push(...roofMarks(chart, rows, px));
  const front = spec.front ? frontier(data, x, y, rows) : null;
  if (front && front.length) {
    marks.push(Plot.line(front, {x: px, y: py, curve: data.column(y).better === "higher" ? "step-before" : "step-after", stroke: "currentColor", strokeDasharray: "4 3"}));
    marks.push(Plot.dot(front, {x: px, y: py, r: 8, stroke: "currentColor", ariaLabel: "front"}));
  }
  if (spec.diagonal && rows.length) {
    const ends = d3.extent([...rows.map(px), ...rows.map(py)]);
    marks.push(Plot.line(ends.map(v => [v, v]), {stroke: "currentColor", strokeDasharray: "4 3"}));
  }
  const paint = colour ? r => data.value(colour, r) : "var(--colour-0)";
  marks.push(Plot.dot(rows, {x: px, y: py, fill: paint, stroke: "var(--surface)", strokeWidth: 0.7, r: 5,
    tip: {format: {x: false, y: false, fill: false}}, title: r => describe(chart, r)}));
  const plot = plotted({
    width, height: 430, marginLeft: 68, marginTop: 28, marginBottom: 44,
    x: {type: log ? "log" : "linear", label: titled(data.title(x), sx.unit), grid: true, nice: !log, tickFormat: log ? ticks : undefined},
    y: {type: log ? "log" : "linear", label: titled(data.title(y), sy.unit), grid: true, nice: !log, tickFormat: log ? ticks : undefined},
    color: colour ? {domain: words, range: coloursOf(words)} : undefined,
    marks,
  });
  let note = "";
  if (spec.front) note = front ? "On the dashed line no other one is better in both: " + front.map(r => labelOf(chart, r)).join("; ") + "."
    : "There is no front: of one of the two it is not said whether more or less is better.";
  return {plots: [...(colour ? [legendOf(words, used)] : []), plot], rows, missing, note, marks: "g[aria-label=dot] circle", owner: rows};
};

const ticks = d3.format("~g");

// frontier are the rows that none betters in both columns, in the order of the first;
// null when it is not known what better is.
function frontier(data, x, y, rows) {
  const bx = data.column(x).better, by = data.column(y).better;
  if (!bx || !by || x === y) return null;
  const vx = r => bx === "lower" ? data.value(x, r) : -data.value(x, r);
  const vy = r => by === "lower" ? data.value(y, r) : -data.value(y, r);
  let best = Infinity;
  const front = d3.sort(rows, (a, b) => vx(a) - vx(b) || vy(a) - vy(b)).filter(r => vy(r) < best && ((best = vy(r)), true));
  return d3.sort(front, r => data.value(x, r));
}

// roofMarks draws the limits of the machines that have a dot.
function roofMarks(chart, rows, px) {
  if (!rows.length) return [];
  const {roofs} = chart.spec, limits = datasets[roofs.data];
  const here = new Set(rows.map(r => chart.data.value(roofs.group, r)));
  const shown = limits.all.filter(r => here.has(limits.value(roofs.group, r)));
  // The edges between slopes and peaks are in the picture, too.
  const edges = shown.flatMap(r => roofs.slopes.map(s => limits.value(roofs.peak, r) / limits.value(s, r))).filter(v => v > 0 && v < Infinity);
  const low = Math.min(d3.min(rows, px) / 2, (d3.min(edges) ?? Infinity) / 2), high = Math.max(d3.max(rows, px) * 2, (d3.max(edges) ?? 0) * 2);
  const seen = new Set(), points = [];
  for (const r of shown) {
    const peak = limits.value(roofs.peak, r);
    for (const name of roofs.slopes) {
      const slope = limits.value(name, r);
      if (!peak || !slope || seen.has(peak + " " + slope)) continue;
      seen.add(peak + " " + slope);
      const z = limits.value(roofs.name, r) + ": " + limits.title(name) + " and " + limits.title(roofs.peak) + " (" + limits.value(roofs.group, r) + ")";
      const edge = peak / slope;
      for (const x of [low, ...(edge > low && edge < high ? [edge] : []), high]) points.push({z, label: limits.value(roofs.name, r) + ", " + limits.title(name), x, y: Math.min(peak, slope * x)});
    }
  }
  return [Plot.line(points, {x: "x", y: "y", z: "z", stroke: "currentColor", strokeOpacity: 0.45, strokeDasharray: "5 3", title: "z"}),
    Plot.text(points, Plot.selectFirst({x: "x", y: "y", z: "z", text: "label", textAnchor: "start", dy: -6, dx: 3, rotate: 0, fill: "currentColor", stroke: "var(--surface)", strokeWidth: 4}))];
}
