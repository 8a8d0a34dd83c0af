// SPDX-License-Identifier: Apache-2.0
const fewRows = 40;

// tablePart makes a table that the reader sorts, searches and filters.
function tablePart(spec) {
  const data = datasets[spec.data];
  const table = {spec, data, filters: new Filters(data, spec.one, spec.any), sort: null, down: false, find: "", few: spec.few || fewRows};
  const search = element("input", {type: "search", id: unique("find")});
  search.addEventListener("input", () => { table.find = search.value.toLowerCase(); fill(); });
  const finding = element("span", {class: "choice"}, element("label", {for: search.id}, "find"), search);
  const controls = element("div", {class: "controls"}, ...table.filters.controls(fill), ...(data.length > 8 ? [finding] : []));
  const head = element("thead"), body = element("tbody");
  const more = element("button", {type: "button", class: "more"});
  more.addEventListener("click", () => { table.few = Infinity; fill(); });
  const frame = element("div", {class: "frame", tabindex: "0", role: "region", "aria-label": spec.title},
    element("table", {}, element("caption", {class: "hidden"}, spec.title), head, body));
  function fill() {
    const rows = sortedRows(table);
    const shown = rows.slice(0, table.few);
    const cells = columnsOf(table, rows);
    head.replaceChildren(element("tr", {}, ...cells.map(c => heading(table, c, fill))));
    body.replaceChildren(...shown.map(r => element("tr", {}, ...cells.map(c => c.cell(r)))));
    more.textContent = "Show all " + whole.format(rows.length) + " " + data.rows;
    more.hidden = shown.length === rows.length;
  }
  fill();
  return element("figure", {class: "table"}, element("figcaption", {}, spec.title), ...(controls.children.length ? [controls] : []), frame, more);
}

function sortedRows({spec, data, filters, sort, down, find}) {
  let rows = filters.rows();
  if (find) rows = rows.filter(r => spec.columns.some(name => String(data.value(name, r) ?? "").toLowerCase().includes(find)));
  if (!sort) return rows;
  const key = sort === spec.stack ? r => d3.sum(spec.stack, s => data.value(s, r) ?? 0) : r => data.value(sort, r);
  const has = rows.filter(r => key(r) != null && key(r) !== "");
  // Rows without a value come last in either order.
  return [...d3.sort(has, (a, b) => (down ? -1 : 1) * d3.ascending(key(a), key(b))), ...rows.filter(r => key(r) == null || key(r) === "")];
}

// columnsOf gives the columns of a table, each with a function that makes a cell.
function columnsOf({spec, data, filters}, rows) {
  const chosen = [...(spec.one || []), ...(spec.any || [])];
  const names = spec.columns.filter(name => !chosen.includes(name) || !filters.fixed(name));
  const code = spec.code || [];
  const list = names.map(name => data.isText(name) ? wordColumn(data, name, rows, code.includes(name)) : numberColumn(data, name, rows));
  // The bar stands beside the text that it is of.
  const place = d3.max(code, name => names.indexOf(name) + 1) || list.length;
  if (spec.stack) list.splice(place, 0, stackColumn(data, spec, rows));
  return list;
}

function stackColumn(data, spec, rows) {
  const sum = r => d3.sum(spec.stack, s => data.value(s, r) ?? 0), most = d3.max(rows, sum) || 1;
  const title = titled(spec.stack_title, spec.stack_share ? "share" : data.column(spec.stack[0]).unit);
  return {key: spec.stack, title, cell: r => {
    const bar = element("span", {class: "stack"}, ...spec.stack.filter(s => data.value(s, r)).map(s => {
      const piece = element("span", {title: data.say(s, r)});
      piece.style.width = 100 * data.value(s, r) / (spec.stack_share ? sum(r) : most) + "%";
      piece.style.background = colourOf(data.title(s), spec.stack.indexOf(s));
      return piece;
    }));
    const text = spec.stack.filter(s => data.value(s, r)).map(s => data.say(s, r)).join("; ");
    return element("td", {class: "bar"}, sum(r) ? bar : null, element("span", {class: "hidden"}, text));
  }};
}

function wordColumn(data, name, rows, code) {
  const longest = d3.max(rows, r => data.value(name, r).length) || 0;
  const kind = code ? "code" : longest > 60 ? "word text" : longest > 18 ? "word long" : "word";
  return {key: name, title: data.title(name), cell: r => {
    const text = data.value(name, r);
    return element("td", {class: kind, title: code && text.length > 60 ? text : null}, text);
  }};
}

function numberColumn(data, name, rows) {
  const scale = data.scale(name, rows), c = data.column(name);
  return {key: name, number: true, title: titled(c.title, scale.unit), cell: r => {
    const v = data.value(name, r);
    return element("td", {class: "number"}, v == null ? "" : digits(v * scale.factor));
  }};
}

// heading sorts by its column: the largest numbers first, words from A.
function heading(table, column, fill) {
  const sorted = table.sort === column.key;
  const button = element("button", {type: "button"}, column.title, element("span", {class: "arrow", "aria-hidden": "true"}, sorted ? (table.down ? " ▼" : " ▲") : ""));
  button.addEventListener("click", () => {
    table.down = sorted ? !table.down : !!column.number || column.key === table.spec.stack;
    table.sort = column.key;
    fill();
    // The heading was made again: the keyboard stays where it was.
    [...document.querySelectorAll("th button")].find(b => b.dataset.of === button.dataset.of)?.focus();
  });
  table.name ||= unique("table");
  button.dataset.of = table.name + " " + column.key;
  return element("th", {scope: "col", class: column.number ? "number" : "", "aria-sort": sorted ? (table.down ? "descending" : "ascending") : "none"}, button);
}
