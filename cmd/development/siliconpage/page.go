// SPDX-License-Identifier: Apache-2.0

package siliconpage

import (
	"bytes"
	_ "embed"
	"io"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/silicon"
)

//go:embed page.md.tmpl
var text string

// pictures is the folder of the page's scatter plots, relative to the source tree.
const pictures = "docs/pictures"

// WritePage writes docs/silicon.md from the committed comparison.
func WritePage(b *bytes.Buffer) error {
	found, err := silicon.Last()
	if err != nil {
		return err
	}
	return writePage(b, found)
}

func writePage(b *bytes.Buffer, found *silicon.Found) error {
	spaces, err := found.Summary()
	if err != nil {
		return err
	}
	return page.Write(b, text, map[string]any{"Spaces": spaces, "Models": silicon.Models, "Kernels": found.Kernels, "Minutes": (found.Seconds + 30) / 60, "Seconds": found.Seconds})
}

// writeAll writes the page and its pictures.
func writeAll(root string, found *silicon.Found) error {
	var b bytes.Buffer
	if err := writePage(&b, found); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "silicon.md"), b.Bytes(), 0o644); err != nil {
		return err
	}
	spaces, err := found.Summary()
	if err != nil {
		return err
	}
	for i := range spaces {
		s := &spaces[i]
		if s.Models[0].Rows == 0 && s.Models[1].Rows == 0 {
			continue
		}
		path := filepath.Join(root, pictures, s.Picture)
		if err := resultfile.Write(path, true, func(w io.Writer) error { return s.WriteScatter(w) }); err != nil {
			return err
		}
	}
	return nil
}
