// SPDX-License-Identifier: Apache-2.0
// Lines: rows that differ in X alone are joined, X being words in their order.
draw.lines = (chart, all, width) => {
  const {spec, data} = chart;
  const {x, y, colour} = chart.role;
  const {rows, missing} = having(data, [x, y], all);
  const scale = data.scale(y, rows);
  const others = (spec.label || []).filter(name => name !== x);
  const family = r => JSON.stringify(others.map(name => data.value(name, r)));
  const words = data.words(colour);
  const used = words.filter(w => rows.some(r => data.value(colour, r) === w));
  const xs = data.words(x).filter(w => all.some(r => data.value(x, r) === w));
  const order = new Map(xs.map((w, i) => [w, i]));
  const sorted = d3.sort(rows, r => order.get(data.value(x, r)));
  const channels = {x: r => data.value(x, r), y: r => data.value(y, r) * scale.factor, stroke: r => data.value(colour, r)};
  // Few lines are named at their ends, by what the axes and the colours do not say.
  const last = [...d3.rollup(sorted, list => list[list.length - 1], family).values()];
  const names = labelColumns(chart).filter(name => name !== x && name !== colour);
  const named = names.length && last.length <= mostNamed;
  const nameOf = r => names.map(name => data.value(name, r)).filter(w => w !== "").join(" · ");
  const plot = plotted({
    width, height: 380, marginRight: named ? margin(last.map(nameOf), width) : 20, marginLeft: 64, marginTop: 28, marginBottom: 44,
    x: {type: "point", domain: xs, label: data.title(x), padding: 0.2},
    y: {label: titled(data.title(y), scale.unit), grid: true, nice: true},
    color: {domain: words, range: coloursOf(words)},
    marks: [
      Plot.line(sorted, {...channels, z: family, strokeOpacity: 0.7}),
      ...(named ? [Plot.text(last, {x: channels.x, y: channels.y, text: nameOf, textAnchor: "start", dx: 9, fill: channels.stroke})] : []),
      Plot.dot(sorted, {...channels, fill: channels.stroke, r: 3.5, tip: {format: {x: false, y: false, stroke: false, fill: false, z: false}}, title: r => describe(chart, r)}),
    ],
  });
  return {plots: [legendOf(words, used), plot], rows: sorted, missing, marks: "g[aria-label=dot] circle", owner: sorted};
};

const mostNamed = 12;

// legendOf names the colours of the words that are drawn.
function legendOf(words, used) {
  const list = legend(words);
  [...list.children].forEach((item, i) => { if (!used.includes(words[i])) item.remove(); });
  return list;
}
