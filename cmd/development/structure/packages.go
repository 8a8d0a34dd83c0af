// SPDX-License-Identifier: Apache-2.0

// Package structure writes docs/architecture.md: its words are a template, its list of
// packages is read from the source tree, and its picture is drawn from a replay.
package structure

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// room is a top-level folder with its packages.
type room struct {
	Name     string
	Packages []described
}

// described is a package with the first clause of its documentation.
type described struct{ Path, Sentence string }

// rooms lists the packages of the source tree at root, by folder.
func rooms(root string, names []string) ([]room, error) {
	var list []room
	for _, name := range names {
		r := room{Name: name}
		err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" || d.Name() == "internal" && name == "traces" {
				return fs.SkipDir
			}
			sentence, err := synopsis(path)
			if err != nil || sentence == "" {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			r.Packages = append(r.Packages, described{filepath.ToSlash(rel), sentence})
			return nil
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(r.Packages, func(a, b described) int { return strings.Compare(a.Path, b.Path) })
		list = append(list, r)
	}
	return list, nil
}

// parenthesis is what a sentence says in brackets, mostly its source.
var parenthesis = regexp.MustCompile(` ?\([^()]*\)`)

// clause is a sentence up to its first colon or semicolon, without what is in brackets.
func clause(sentence string) string {
	for parenthesis.MatchString(sentence) { // brackets in brackets
		sentence = parenthesis.ReplaceAllString(sentence, "")
	}
	for _, end := range []string{": ", "; "} {
		sentence, _, _ = strings.Cut(sentence, end)
	}
	return sentence
}

// synopsis is the first clause of the documentation of the package in a folder, without
// the words "Package name"; empty when the folder has no package that others can import.
func synopsis(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if f.Doc == nil {
			continue
		}
		sentence := new(doc.Package).Synopsis(f.Doc.Text())
		begin := "Package " + f.Name.Name + " "
		if f.Name.Name == "main" {
			begin = "Command " + filepath.Base(folder) + " "
		}
		after, ok := strings.CutPrefix(sentence, begin)
		if !ok {
			return "", fmt.Errorf("%s: the documentation begins %q, not %q", folder, sentence, begin)
		}
		return clause(strings.TrimSuffix(after, ".")), nil
	}
	return "", nil
}
