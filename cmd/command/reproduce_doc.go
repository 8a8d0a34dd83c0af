package command

import (
	"bytes"

	"github.com/warptape/warptape/cmd/reproduce"
)

// writeReproductionDoc writes docs/reproduction.md.
func writeReproductionDoc(b *bytes.Buffer) error {
	b.WriteString("# Reproduction of the papers\n\n" + generatedNote)
	return reproduce.WriteDocument(b)
}
