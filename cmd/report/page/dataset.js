// SPDX-License-Identifier: Apache-2.0
// Dataset is one of the document's: columns of words or numbers, rows by their places.
class Dataset {
  constructor(json) {
    this.rows = json.rows;
    this.columns = new Map(json.columns.map(c => [c.name, c]));
    const first = json.columns[0];
    this.length = first ? (first.index || first.numbers || []).length : 0;
    this.all = d3.range(this.length);
  }
  column(name) { return this.columns.get(name); }
  isText(name) { return this.column(name).numbers === undefined; }
  // value of a row: a word, "" where there is none, or a number, null where there is none.
  value(name, row) {
    const c = this.column(name);
    return c.numbers ? c.numbers[row] : c.words ? c.words[c.index[row]] : "";
  }
  title(name) { return this.column(name).title; }
  words(name) { return (this.column(name).words || []).filter(w => w !== ""); }
  // scale of a column over some rows.
  scale(name, rows) {
    return scaleOf(this.column(name).unit, d3.max(rows, r => Math.abs(this.value(name, r) ?? 0)));
  }
  // say writes one value with its title and unit.
  say(name, row) {
    const v = this.value(name, row), c = this.column(name);
    return c.title + ": " + (c.numbers ? quantity(v, c.unit) : v === "" ? "none" : v);
  }
}
