// SPDX-License-Identifier: Apache-2.0

// Package report makes pages of results: one HTML file that holds its data, its charts
// and the program that draws them, and that asks no network for anything.
//
// A Document is a list of sections, and a section a list of parts: facts, tables, charts,
// pictures and texts over datasets. What is in a document is data: the page turns names
// and source text into text nodes, never into markup. Equal documents give equal bytes.
package report
