// SPDX-License-Identifier: Apache-2.0
const mostMissing = 200;

// missing lists the rows that a chart cannot show, with their reasons.
function missing(chart, rows) {
  if (!rows.length) return null;
  const {spec, data} = chart;
  const items = rows.slice(0, mostMissing).map(r => {
    const reason = spec.reason ? data.value(spec.reason, r) : "";
    return element("li", {}, labelOf(chart, r, true) + ": " + (reason || "has no value of this"));
  });
  if (rows.length > mostMissing) items.push(element("li", {}, "and " + whole.format(rows.length - mostMissing) + " more: see the section of points without results"));
  return element("details", {class: "missing"},
    element("summary", {}, whole.format(rows.length) + " of the chosen " + data.rows + " cannot be shown here"), element("ul", {}, ...items));
}
