// SPDX-License-Identifier: Apache-2.0
// themeControl chooses between the colours of the system, light ones and dark ones.
function themeControl() {
  const root = document.documentElement;
  return choice("colours", ["system", "light", "dark"].map(value => ({value, title: value})), "system", v => {
    if (v === "system") delete root.dataset.theme;
    else root.dataset.theme = v;
  });
}
