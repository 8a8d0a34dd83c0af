// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/reproduce"
)

//go:embed reproduction.md.tmpl
var reproductionPage string

//go:embed study.md.tmpl
var studyPage string

// WriteReproduction writes docs/reproduction.md.
func WriteReproduction(b *bytes.Buffer) error {
	var chapters bytes.Buffer
	if err := reproduce.WriteOverview(&chapters); err != nil {
		return err
	}
	return page.Write(b, reproductionPage, map[string]any{"Chapters": chapters.String()})
}

// WriteStudy writes the page of a study, all its figures and claims.
func WriteStudy(b *bytes.Buffer, s *reproduce.Study) error {
	var chapters bytes.Buffer
	if err := reproduce.WriteStudy(&chapters, s); err != nil {
		return err
	}
	return page.Write(b, studyPage, map[string]any{"Title": s.Title, "Chapters": chapters.String()})
}
