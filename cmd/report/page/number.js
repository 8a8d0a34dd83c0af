// SPDX-License-Identifier: Apache-2.0
// Quantities that are shown with a prefix of the SI: the factor to the base unit, and it.
const prefixed = {ns: [1e-9, "s"], J: [1, "J"], W: [1, "W"], "J s": [1, "J s"], pJ: [1e-12, "J"], bytes: [1, "bytes"]};

// scaleOf gives what to multiply the numbers of a unit with, and the unit then, so that
// the largest of them has up to three digits before the point.
function scaleOf(unit, largest) {
  if (!(unit in prefixed) || unit === "bytes" || !(largest > 0)) return {factor: 1, unit: unit || ""};
  const [base, name] = prefixed[unit];
  const power = Math.max(-18, Math.min(12, 3 * Math.floor(Math.log10(largest * base) / 3 + 1e-9)));
  const prefix = {"-18": "a", "-15": "f", "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}[power];
  return {factor: base / 10 ** power, unit: prefix + name};
}

const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
const significant = new Intl.NumberFormat("en", {maximumSignificantDigits: 4});

// digits writes a number with up to four significant digits, whole ones exactly.
function digits(v) {
  if (v == null) return "–";
  const size = Math.abs(v);
  if (Number.isInteger(v) && size < 1e15) return whole.format(v);
  if (size >= 1e6 || size < 1e-3) return v.toExponential(3).replace(/\.?0*e\+?/, "e");
  return significant.format(v);
}

// quantity writes a number with its unit.
function quantity(v, unit) {
  if (v == null) return "no value";
  const s = scaleOf(unit, Math.abs(v));
  return digits(v * s.factor) + (s.unit ? " " + s.unit : "");
}

// titled is the title of an axis or a column with its unit.
function titled(title, unit) { return unit ? title + " [" + unit + "]" : title; }
