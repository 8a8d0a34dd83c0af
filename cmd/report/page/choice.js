// SPDX-License-Identifier: Apache-2.0
// choice is a labelled list to choose one of; the values are texts.
function choice(label, options, chosen, changed) {
  const id = unique("choice");
  const list = element("select", {id}, ...options.map(o => element("option", {value: o.value}, o.title)));
  list.value = chosen;
  list.addEventListener("change", () => changed(list.value));
  return element("span", {class: "choice"}, element("label", {for: id}, label), list);
}

// tick is a labelled box to tick.
function tick(label, chosen, changed) {
  const id = unique("tick");
  const box = element("input", {type: "checkbox", id});
  box.checked = chosen;
  box.addEventListener("change", () => changed(box.checked));
  return element("span", {class: "choice"}, box, element("label", {for: id}, label));
}

// Filters select rows of a dataset by words: one of each column, or any. What there is to
// choose of a column depends on what is chosen of those before it.
class Filters {
  constructor(data, one, any) {
    this.data = data;
    this.columns = [...(one || []).map(name => ({name, all: false})), ...(any || []).map(name => ({name, all: true}))];
    this.chosen = new Map();
    this.settle([]);
  }
  // settle finds what there is to choose, and keeps what is chosen where there is that.
  settle(free) {
    let rows = this.data.all;
    for (const c of this.columns) {
      const there = new Set(rows.map(r => this.data.value(c.name, r)));
      c.words = this.data.words(c.name).filter(w => there.has(w));
      if (!c.words.includes(this.chosen.get(c.name))) this.chosen.set(c.name, c.all || !c.words.length ? null : c.words[0]);
      const word = this.chosen.get(c.name);
      if (word != null && !free.includes(c.name)) rows = rows.filter(r => this.data.value(c.name, r) === word);
    }
    return rows;
  }
  // controls for the columns that have a choice to make.
  controls(changed) {
    return this.columns.filter(c => this.data.words(c.name).length > 1).map(c => {
      c.control = choice(this.data.title(c.name), [], "", v => { this.chosen.set(c.name, v === "" ? null : v.slice(1)); changed(); });
      c.list = c.control.querySelector("select");
      this.show(c);
      return c.control;
    });
  }
  // show writes what there is to choose of a column.
  show(c) {
    if (!c.list) return;
    const word = this.chosen.get(c.name);
    c.list.replaceChildren(...(c.all ? [element("option", {value: ""}, "all")] : []), ...c.words.map(w => element("option", {value: "=" + w}, w)));
    c.list.value = word == null ? "" : "=" + word;
  }
  // rows that are selected; columns in free do not select.
  rows(free = []) {
    const rows = this.settle(free);
    for (const c of this.columns) {
      this.show(c);
      if (c.control) c.control.hidden = free.includes(c.name);
    }
    return rows;
  }
  // fixed reports whether all selected rows have one word of the column.
  fixed(name) { return this.chosen.get(name) != null || this.data.isText(name) && this.data.words(name).length < 2; }
}
