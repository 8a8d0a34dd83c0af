// SPDX-License-Identifier: Apache-2.0
const report = JSON.parse(document.getElementById("data").textContent);
const datasets = report.datasets.map(d => new Dataset(d));

function build() {
  document.getElementById("header").append(
    element("div", {}, element("h1", {}, report.title), element("p", {}, report.summary)), element("div", {class: "controls"}, themeControl()));
  document.getElementById("contents").append(element("ol", {}, ...report.sections.map(s => element("li", {}, element("a", {href: "#" + s.id}, s.title)))));
  const main = document.getElementById("sections");
  for (const s of report.sections) {
    main.append(element("section", {id: s.id, "aria-labelledby": "title-" + s.id}, element("h2", {id: "title-" + s.id}, s.title),
      ...(s.text || []).map(t => element("p", {}, t)), ...s.parts.map(partOf)));
  }
  for (const redraw of undrawn.splice(0)) redraw();
  document.getElementById("footer").prepend(element("p", {}, "Made by Warptape " + report.version + ". This file holds all of its data and asks no network for anything."));
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

build();
