// Package cputraces holds the CPU traces of eight small programs, and the sets in
// which they run together (GPSim thesis, Table 4.4). They are part of the executable.
package cputraces

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace/wtape"
)

//go:embed *.wtape
var files embed.FS

// Set is programs that run at the same time.
type Set struct {
	Name     string
	Programs []string
}

// Sets are those of Table 4.4, with programs of the same classes.
func Sets() []Set {
	return []Set{
		{"S1", []string{"pointer-chase", "neural-network", "sparse-solver", "interpreter"}}, // mcf, art, soplex, perlbench
		{"S2", []string{"finite-elements", "stencil", "quantum-register", "sparse-solver"}}, // dealII, wupwise, libquantum, soplex
	}
}

// Programs lists the programs by name.
func Programs() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("BUG: the embedded CPU traces are unreadable: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".wtape"))
	}
	return names
}

// Find gives the programs of a set, or the one program of that name; false when there
// is neither.
func Find(name string) ([]string, bool) {
	for _, s := range Sets() {
		if s.Name == name {
			return s.Programs, true
		}
	}
	return []string{name}, slices.Contains(Programs(), name)
}

// Open opens the trace of a program, whose CPU thread 0 it is.
func Open(program string) (*wtape.Reader, error) {
	data, err := files.ReadFile(program + ".wtape")
	if err != nil {
		return nil, fmt.Errorf("there is no CPU program %q: choose one of %s", program, strings.Join(Programs(), ", "))
	}
	return wtape.NewReader(bytes.NewReader(data), int64(len(data)))
}
