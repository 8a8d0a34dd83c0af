package tables

import (
	"bytes"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/reproduce"
)

// WriteReproduction writes docs/reproduction.md.
func WriteReproduction(b *bytes.Buffer) error {
	b.WriteString("# Reproduction of the papers\n\n" + page.Note)
	return reproduce.WriteDocument(b)
}
