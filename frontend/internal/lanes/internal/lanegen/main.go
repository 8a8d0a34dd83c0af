// SPDX-License-Identifier: Apache-2.0

// Command lanegen generates the lane loops in assembly of package lanes, with their
// declarations and the tables that say what they compute. It is a module of its
// own, so that the simulator does not depend on what only generates it. Run it
// from its folder with "go run ."; -check compares instead of writing.
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

// folder is that of package lanes, seen from here.
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
	for _, l := range levels {
		g.level = l
		g.loops()
		g.compares()
		g.moves()
		g.accesses()
		g.sines()
		g.powers()
		g.texels()
		g.matrices()
		g.elements()
	}
	file, err := g.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	assembly, err := printer.NewGoAsm(printer.Config{Name: "lanegen", Pkg: "lanes"}).Print(file)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"vector_amd64.s": assembly, "vector_amd64_table.go": g.table()}, nil
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
			return fmt.Errorf("%s is stale: run \"go run .\" in frontend/internal/lanes/internal/lanegen", path)
		}
	}
	return nil
}
