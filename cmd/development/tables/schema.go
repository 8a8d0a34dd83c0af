// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/timing/arch"
)

const (
	modulePath = "github.com/warptape/warptape"
	SchemaPath = "timing/arch/architecture.schema.json"
)

// WriteSchema makes the schema; descriptions are the comments of the structs
// in the source tree at root.
func WriteSchema(b *bytes.Buffer, root string) error {
	c := &structComments{root: root, packages: map[string]map[string]string{}}
	text, err := arch.JSONSchema(c.describe)
	if err == nil {
		err = c.err
	}
	b.Write(text)
	return err
}

// structComments reads the comments of structs and their fields from the sources.
type structComments struct {
	root     string
	packages map[string]map[string]string // by import path, then "Struct" or "Struct.Field"
	err      error                        // the first
}

// describe is an arch.Describer.
func (c *structComments) describe(pkg, structName, field string) string {
	comments, ok := c.packages[pkg]
	if !ok {
		var err error
		if comments, err = readComments(filepath.Join(c.root, strings.TrimPrefix(pkg, modulePath))); err != nil && c.err == nil {
			c.err = fmt.Errorf("comments of %s: %w", pkg, err)
		}
		c.packages[pkg] = comments
	}
	if field == "" {
		return comments[structName]
	}
	return comments[structName+"."+field]
}

func readComments(folder string) (map[string]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	comments, set := map[string]string{}, token.NewFileSet()
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, filepath.Join(folder, f.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				structComment(comments, g)
			}
		}
	}
	return comments, nil
}

func structComment(comments map[string]string, g *ast.GenDecl) {
	for _, s := range g.Specs {
		t := s.(*ast.TypeSpec)
		body, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		comments[t.Name.Name] = g.Doc.Text() + t.Doc.Text()
		for _, f := range body.Fields.List {
			for _, name := range f.Names {
				comments[t.Name.Name+"."+name.Name] = f.Doc.Text() + f.Comment.Text()
			}
		}
	}
}
