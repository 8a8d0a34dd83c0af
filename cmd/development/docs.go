// SPDX-License-Identifier: Apache-2.0

package development

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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
		Name:  "docs",
		Usage: "write the generated documents, or check that they are not stale",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "only compare, fail when a document is stale"},
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
		},
		Action: func(c *cli.Context) error {
			schema := generatedDoc{tables.SchemaPath, func(b *bytes.Buffer) error { return tables.WriteSchema(b, c.String("root")) }}
			results := generatedDoc{tables.ResultSchemaPath, func(b *bytes.Buffer) error { return tables.WriteResultSchema(b, c.String("root")) }}
			architecture := generatedDoc{structure.PagePath, func(b *bytes.Buffer) error { return structure.WritePage(b, c.String("root")) }}
			cycles := generatedDoc{structure.PicturePath, func(b *bytes.Buffer) error { return structure.WritePicture(b, c.String("root")) }}
			differences := generatedDoc{deviations.PagePath, func(b *bytes.Buffer) error { return deviations.WritePage(b, c.String("root")) }}
			docs := append(slices.Clone(generatedDocs), schema, results, architecture, cycles, differences)
			for _, s := range reproduce.Studies() {
				docs = append(docs, generatedDoc{"docs/" + s.Page(), func(b *bytes.Buffer) error { return tables.WriteStudy(b, s) }})
			}
			for _, d := range docs {
				var b bytes.Buffer
				if err := d.write(&b); err != nil {
					return err
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
					return fmt.Errorf("%s is stale: run 'make proto' and commit the result", path)
				}
			}
			return nil
		},
	}
}
