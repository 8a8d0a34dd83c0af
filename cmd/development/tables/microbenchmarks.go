// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/timing/published"
)

//go:embed microbenchmarks.md.tmpl
var microbenchmarksPage string

// WriteMicrobenchmarks writes docs/microbenchmarks.md.
func WriteMicrobenchmarks(b *bytes.Buffer) error {
	figures, err := published.Microbenchmarks()
	if err != nil {
		return err
	}
	return page.Write(b, microbenchmarksPage, map[string]any{"Figures": figures})
}
