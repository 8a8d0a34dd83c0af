// SPDX-License-Identifier: Apache-2.0

package report

// Document is what a page shows.
type Document struct {
	Title   string `json:"title"`
	Summary string `json:"summary"`
	// Version is that of the program that writes the page.
	Version  string     `json:"version"`
	Sections []*Section `json:"sections"`
}

// Section is a chapter of a page with its place in the list of contents.
type Section struct {
	// ID names the section in links: lower-case letters, digits and "-".
	ID    string `json:"id"`
	Title string `json:"title"`
	// Text are paragraphs that say what the parts show.
	Text  []string `json:"text,omitempty"`
	Parts []Part   `json:"parts"`
}

// Part is one thing of a section; exactly one member is set.
type Part struct {
	Facts   []Fact   `json:"facts,omitempty"`
	Table   *Table   `json:"table,omitempty"`
	Chart   *Chart   `json:"chart,omitempty"`
	Picture *Picture `json:"picture,omitempty"`
	Listing *Listing `json:"listing,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Fact is a figure that stands for itself.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"` // with its unit
	Note  string `json:"note,omitempty"`
}

// Picture is a drawing that is ready.
type Picture struct {
	Title string `json:"title"`
	// Alternative says in words what the drawing shows.
	Alternative string `json:"alternative"`
	SVG         string `json:"svg"` // a whole document
}

// Listing is text that keeps its lines.
type Listing struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}
