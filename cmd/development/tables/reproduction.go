package tables

import (
	"bytes"
	_ "embed"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/reproduce"
)

//go:embed reproduction.md.tmpl
var reproductionPage string

// WriteReproduction writes docs/reproduction.md.
func WriteReproduction(b *bytes.Buffer) error {
	var chapters bytes.Buffer
	if err := reproduce.WriteDocument(&chapters); err != nil {
		return err
	}
	return page.Write(b, reproductionPage, map[string]any{"Chapters": chapters.String()})
}
