// SPDX-License-Identifier: Apache-2.0

package deviations

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
)

// PagePath is the file that the package writes.
const PagePath = "docs/deviations.md"

//go:embed page.md.tmpl
var text string

// section is a subject with its entries.
type section struct {
	Title   string
	Entries []described
}

// described is an entry with links to the files that cite it.
type described struct {
	entry
	Cited string
}

// WritePage writes docs/deviations.md for the source tree at root.
func WritePage(b *bytes.Buffer, root string) error {
	list, err := parse(data)
	if err != nil {
		return err
	}
	files, err := citations(root, list)
	if err != nil {
		return err
	}
	return page.Write(b, text, map[string]any{"Statuses": statuses, "Index": list, "Sections": sections(list, files)})
}

// sections sorts entries into the page's sections; retired ones stand in the index only.
func sections(list []entry, files map[int][]string) []section {
	var all []section
	for _, s := range subjects {
		part := section{Title: s.Title}
		for _, e := range list {
			if e.Subject != s.Word || e.Status == retired {
				continue
			}
			var links []string
			for _, path := range files[e.Number] {
				links = append(links, link(path))
			}
			part.Entries = append(part.Entries, described{e, strings.Join(links, ", ")})
		}
		if len(part.Entries) > 0 {
			all = append(all, part)
		}
	}
	return all
}
