// SPDX-License-Identifier: Apache-2.0

package development

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/development/combinations"
	"github.com/warptape/warptape/cmd/development/contaminated"
	"github.com/warptape/warptape/cmd/development/deviations"
	"github.com/warptape/warptape/cmd/development/divergence"
	"github.com/warptape/warptape/cmd/development/energypages"
	"github.com/warptape/warptape/cmd/development/sampling"
	"github.com/warptape/warptape/cmd/development/siliconpage"
	"github.com/warptape/warptape/cmd/development/structure"
	"github.com/warptape/warptape/cmd/development/tables"
	"github.com/warptape/warptape/cmd/development/tracesizes"
	"github.com/warptape/warptape/cmd/reproduce"
)

type generatedDoc struct {
	path  string
	write func(*bytes.Buffer) error
}

// generatedDocs are the documents that are made from tables in the code.
var generatedDocs = []generatedDoc{
	{"docs/statistics.md", tables.WriteStatistics},
	{"docs/microbenchmarks.md", tables.WriteMicrobenchmarks},
	{"docs/ptx-coverage.md", tables.WriteCoverage},
	{"docs/machines.md", tables.WriteMachines},
	{"docs/workloads.md", tables.WriteWorkloads},
	{"docs/sampling.md", sampling.WritePage},
	{"docs/trace-size.md", tracesizes.WritePage},
	{"docs/energy.md", energypages.WriteModel},
	{"docs/energy-tables.md", energypages.WriteTables},
	{"docs/energy-validation.md", energypages.WriteValidation},
	{"docs/affine.md", tables.WriteAffine},
	{"docs/reproduction.md", tables.WriteReproduction},
	{"docs/combinations.md", combinations.WritePage},
	{"docs/divergence.md", divergence.WritePage},
	{"docs/contamination.md", contaminated.Write},
	{"docs/silicon.md", siliconpage.WritePage},
}

func docsCommand() *cli.Command {
	return &cli.Command{
		Name:      "docs",
		Usage:     "write the generated documents, or check that they are not stale",
		ArgsUsage: "[PATH]...",
		Description: "Writes all generated documents, or only those whose path contains one of the words given, such as\n" +
			"docs/deviations.md or reproduction.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "only compare, name every stale document and fail"},
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
		},
		Action: func(c *cli.Context) error {
			chosen, err := choose(documents(c.String("root")), c.Args().Slice())
			if err != nil {
				return err
			}
			var stale []error
			for _, d := range chosen {
				var b bytes.Buffer
				if err := d.write(&b); err != nil {
					return fmt.Errorf("%s: %w", d.path, err)
				}
				path := filepath.Join(c.String("root"), d.path)
				if !c.Bool("check") {
					if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
						return err
					}
					continue
				}
				have, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if !bytes.Equal(have, b.Bytes()) {
					stale = append(stale, fmt.Errorf("%s is stale: run 'make proto' and commit the result", path))
				}
			}
			return errors.Join(stale...)
		},
	}
}

// documents are all generated documents of the source tree at root.
func documents(root string) []generatedDoc {
	docs := append(slices.Clone(generatedDocs),
		generatedDoc{tables.SchemaPath, func(b *bytes.Buffer) error { return tables.WriteSchema(b, root) }},
		generatedDoc{tables.ResultSchemaPath, func(b *bytes.Buffer) error { return tables.WriteResultSchema(b, root) }},
		generatedDoc{structure.PagePath, func(b *bytes.Buffer) error { return structure.WritePage(b, root) }},
		generatedDoc{structure.PicturePath, func(b *bytes.Buffer) error { return structure.WritePicture(b, root) }},
		generatedDoc{deviations.PagePath, func(b *bytes.Buffer) error { return deviations.WritePage(b, root) }})
	for _, s := range reproduce.Studies() {
		docs = append(docs, generatedDoc{"docs/" + s.Page(), func(b *bytes.Buffer) error { return tables.WriteStudy(b, s) }},
			generatedDoc{"docs/" + tables.PlotsPath(s), func(b *bytes.Buffer) error { return tables.WritePlots(b, s) }})
	}
	return docs
}

// choose keeps the documents whose path contains one of the words, all without words.
// A word that no path contains is an error, which lists the paths.
func choose(docs []generatedDoc, words []string) ([]generatedDoc, error) {
	if len(words) == 0 {
		return docs, nil
	}
	keep := make([]bool, len(docs))
	for _, w := range words {
		found := false
		for i, d := range docs {
			if strings.Contains(d.path, w) {
				keep[i], found = true, true
			}
		}
		if !found {
			var paths []string
			for _, d := range docs {
				paths = append(paths, d.path)
			}
			return nil, fmt.Errorf("no generated document has %q in its path; there are %s", w, strings.Join(paths, ", "))
		}
	}
	var chosen []generatedDoc
	for i, d := range docs {
		if keep[i] {
			chosen = append(chosen, d)
		}
	}
	return chosen, nil
}
