// SPDX-License-Identifier: Apache-2.0
// reader lets the keyboard go through the rows of a drawing and says what each one is.
function reader(drawing, output, chart) {
  let at = -1;
  drawing.addEventListener("keydown", e => {
    const n = chart.drawn.rows.length;
    const to = {ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: n - 1, Escape: -1}[e.key];
    if (to === undefined || !n || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    at = e.key === "Escape" ? -1 : Math.max(0, Math.min(n - 1, to));
    show();
  });
  drawing.addEventListener("blur", () => { at = -1; show(); });
  function show() {
    const row = at < 0 ? undefined : chart.drawn.rows[at];
    output.textContent = row === undefined ? "" : describe(chart, row).replaceAll("\n", "; ");
    const marks = d3.select(drawing).selectAll(chart.drawn.marks || ".none");
    marks.classed("at", d => row !== undefined && chart.drawn.owner[d] === row);
    const mark = marks.filter(".at").node();
    if (mark) mark.scrollIntoView({block: "nearest", inline: "nearest"});
  }
  return () => { at = -1; output.textContent = ""; };
}

// labelColumns are the columns that tell the chosen rows apart; with full set, all.
function labelColumns({spec, filters}, full) {
  const names = spec.label || [];
  const columns = names.filter(name => full || !filters.fixed(name));
  return columns.length ? columns : names.slice(0, 1);
}

// labelOf names a row by the columns in which the chosen rows differ, or by all.
function labelOf(chart, row, full) {
  return labelColumns(chart, full).map(name => String(chart.data.value(name, row)).trim()).filter(w => w !== "").join(" · ");
}

// shownLabels are the titles of the columns that name rows.
function shownLabels(chart) { return labelColumns(chart).map(name => chart.data.title(name)).join(" · "); }

// describe says all that a chart shows of a row, a line for each value.
function describe(chart, row) {
  const {spec, data} = chart;
  const names = [...new Set([...(spec.label || []), ...(spec.track ? [spec.track] : []), ...chart.shown(), ...(spec.series || [])])];
  return names.filter(name => !(data.isText(name) && data.value(name, row) === "")).map(name => data.say(name, row)).join("\n");
}
