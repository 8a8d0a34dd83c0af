// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"
)

//go:embed page
var assets embed.FS

// libraries draw charts; the second one needs the first.
var libraries = []string{"vendor/d3-7.9.0.min.js", "vendor/plot-0.6.17.min.js"}

// scripts are the page's program in the order in which it is read.
var scripts = []string{
	"element.js", "number.js", "dataset.js", "colour.js", "choice.js", "missing.js", "reader.js", "chart.js",
	"bars.js", "scatter.js", "lines.js", "heat.js", "spans.js", "table.js", "part.js", "theme.js", "main.js",
}

// licences are those of the libraries.
var licences = []struct{ Name, file string }{
	{"D3 7.9.0", "vendor/d3-LICENSE"}, {"Observable Plot 0.6.17", "vendor/plot-LICENSE"},
	{"Packages that these two contain", "vendor/parts-LICENSES"},
}

// Write writes the page of a document.
func Write(w io.Writer, d *Document) error {
	data, err := encode(d)
	if err != nil {
		return err
	}
	program, err := program()
	if err != nil {
		return err
	}
	style, err := asset("style.css")
	if err != nil {
		return err
	}
	outline, err := asset("page.html")
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(outline)
	if err != nil {
		return err
	}
	type licence struct{ Name, Text string }
	var texts []licence
	for _, l := range licences {
		text, err := asset(l.file)
		if err != nil {
			return err
		}
		texts = append(texts, licence{l.Name, text})
	}
	// A browser runs nothing but the program, and sends no request.
	sum := sha256.Sum256([]byte(program))
	policy := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Title": d.Title, "Policy": policy, "Licences": texts, "Version": d.Version,
		"Style": template.CSS(style), "Program": template.HTML("<script>" + program + "</script>"),
		"Data": template.HTML(`<script type="application/json" id="data">` + string(data) + "</script>"),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// encode numbers the datasets and gives the document with them as JSON, in which no
// character can end an element of HTML.
func encode(d *Document) ([]byte, error) {
	n := numbering{at: map[*Dataset]int{}, ids: map[string]bool{}}
	for _, s := range d.Sections {
		if err := n.section(s); err != nil {
			return nil, err
		}
	}
	// Marshal escapes <, > and &.
	return json.Marshal(struct {
		*Document
		Datasets []*Dataset `json:"datasets"`
	}{d, n.list})
}

// numbering gives datasets their places in a page.
type numbering struct {
	at   map[*Dataset]int
	list []*Dataset
	ids  map[string]bool
}

func (n *numbering) section(s *Section) error {
	if n.ids[s.ID] || s.ID == "" || strings.Trim(s.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("BUG: section %q: its name is not its own, or not one of links", s.ID)
	}
	n.ids[s.ID] = true
	for i := range s.Parts {
		p := &s.Parts[i]
		var err error
		switch {
		case p.Table != nil:
			p.Table.Data, err = n.number(p.Table.Dataset, p.Table.columns())
		case p.Chart != nil:
			if p.Chart.Data, err = n.number(p.Chart.Dataset, p.Chart.columns()); err == nil && p.Chart.Roofs != nil {
				p.Chart.Roofs.Data, err = n.number(p.Chart.Roofs.Dataset, nil)
			}
		}
		if err != nil {
			return fmt.Errorf("section %s: %w", s.ID, err)
		}
	}
	return nil
}

// number gives the number of a dataset that must have the columns.
func (n *numbering) number(d *Dataset, columns []string) (int, error) {
	for _, name := range columns {
		if d.Column(name) == nil {
			return 0, fmt.Errorf("BUG: there is no column %q", name)
		}
	}
	i, ok := n.at[d]
	if !ok {
		i = len(n.list)
		n.at[d] = i
		n.list = append(n.list, d)
	}
	return i, d.check()
}

func (t *Table) columns() []string { return concat(t.Columns, t.One, t.Any, t.Code, t.Stack) }

func (c *Chart) columns() []string {
	list := concat(c.X, c.Y, c.Value, c.Colour, c.Series, c.Label, c.One, c.Any)
	for _, name := range []string{c.Track, c.Reason} {
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

func concat(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// program joins the libraries and the scripts, which see each other's names alone.
func program() (string, error) {
	var b strings.Builder
	for _, part := range []struct {
		before string
		names  []string
		after  string
	}{{"", libraries, ""}, {"(() => {\n\"use strict\";\n", scripts, "})();\n"}} {
		b.WriteString(part.before)
		for _, name := range part.names {
			text, err := asset(name)
			if err != nil {
				return "", err
			}
			b.WriteString(strings.TrimSpace(text) + ";\n")
		}
		b.WriteString(part.after)
	}
	return b.String(), nil
}

func asset(name string) (string, error) {
	text, err := fs.ReadFile(assets, "page/"+name)
	return string(text), err
}
