// SPDX-License-Identifier: Apache-2.0

// Package cputraces holds the CPU traces of eight small programs, the sets in which
// they run together (GPSim thesis, Table 4.4), and those of eight programs with threads
// (Table 6.3). They are part of the executable.
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

// Threaded lists the programs with 64 threads, in the order of Table 6.3. Each is
// there with FewThreads, too.
func Threaded() []string {
	return []string{"option-pricing", "body-tracking", "similarity-search", "fft", "fluid", "radix-sort", "swaptions", "video-encoding"}
}

// Threads of each program of Threaded, and of the variant that runs on a machine of a few cores.
const (
	Threads    = 64
	FewThreads = 4
)

// Few is the variant of a program of Threaded with FewThreads.
func Few(program string) string { return fmt.Sprintf("%s-%d", program, FewThreads) }

// SharingSets are programs of FewThreads that share memory, each a set of its own
// in addition to those of Sets.
func SharingSets() []Set {
	var list []Set
	for i, p := range Threaded() {
		list = append(list, Set{fmt.Sprintf("T%d", i+1), []string{Few(p)}})
	}
	return list
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
	for _, s := range slices.Concat(Sets(), SharingSets()) {
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
