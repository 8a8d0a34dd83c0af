// SPDX-License-Identifier: Apache-2.0
// element makes an element of HTML. Children that are not elements become text.
function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) e.setAttribute(key, "");
    else if (value !== false && value != null) e.setAttribute(key, value);
  }
  e.append(...children.filter(c => c != null));
  return e;
}

let ids = 0;

// unique makes a name for an element that another one refers to.
function unique(stem) { return stem + "-" + ++ids; }
