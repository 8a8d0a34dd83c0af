// SPDX-License-Identifier: Apache-2.0

// Command lanegen generates the loops in assembly of package lanevector, with their
// declarations. It is a module of its own, so that the simulator does not depend on what only
// generates it. Run it from its folder with "go run ."; -check compares instead of writing.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// folder is that of package lanevector, seen from here.
const folder = "../.."

func main() {
	check := flag.Bool("check", false, "compare with the files instead of writing them")
	flag.Parse()
	files, err := generate()
	if err == nil {
		err = finish(files, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lanegen:", err)
		os.Exit(1)
	}
}

// generate gives the content of the files by name.
func generate() (map[string][]byte, error) {
	g := &generator{Context: build.NewContext()}
	g.ConstraintExpr("amd64,!purego")
	g.differences()
	g.companions()
	g.means()
	g.places()
	g.classes()
	g.contexts()
	g.symbols()
	g.strings()
	g.counts()
	file, err := g.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	c := printer.Config{Name: "lanegen", Pkg: "lanevector"}
	assembly, err := printer.NewGoAsm(c).Print(file)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(c).Print(file)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"vector_amd64.s": assembly, "vector_amd64_stubs.go": stubs}, nil
}

// finish writes the files or compares them.
func finish(files map[string][]byte, check bool) error {
	for name, text := range files {
		path := filepath.Join(folder, name)
		if !check {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
			continue
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(old, text) {
			return fmt.Errorf("%s is stale: run \"go run .\" in trace/internal/lanevector/internal/lanegen", path)
		}
	}
	return nil
}
