// SPDX-License-Identifier: Apache-2.0

package cputraces

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/statistics"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/verification"
)

// maxBytes of all traces, which are in the repository and in the executable.
const maxBytes = 2 << 20

func TestTracesAreWholeAndSmall(t *testing.T) {
	total := int64(0)
	for _, name := range Programs() {
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		total += r.Size()
		if err := verification.Verify(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := r.Totals().CPU
		threads, source, least := uint64(1), "programs/"+name, uint64(200_000)
		if few, ok := strings.CutSuffix(name, "-4"); ok {
			threads, source, least = FewThreads, "threaded/"+few, 50_000
		} else if slices.Contains(Threaded(), name) {
			threads, source, least = Threads, "threaded/"+name, 100_000
		}
		if c.Threads != threads || (c.Syncs > 0) != (threads > 1) || c.Instructions < least || c.Instructions > 3_000_000 || c.Branches == 0 || c.Loads == 0 || c.Stores == 0 {
			t.Errorf("%s: %+v", name, c)
		}
		if p := r.Header().Arguments[trace.CPUPageBytes]; p != "4096" {
			t.Errorf("%s: pages of %s bytes", name, p)
		}
		if _, err := os.Stat(source + ".c"); err != nil {
			t.Errorf("%s has no source: %v", name, err)
		}
	}
	if total > maxBytes {
		t.Errorf("%d bytes together, at most %d", total, maxBytes)
	}
}

// The distinct addresses and branches of a program are what its source says.
func TestTracesShowTheirClass(t *testing.T) {
	footprint := func(name string) uint64 {
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := statistics.Of(r)
		if err != nil {
			t.Fatal(err)
		}
		return s.CPU.FootprintLines * 64
	}
	// 24 categories of 8192 weights of 4 bytes, and a pattern.
	if got := footprint("neural-network"); got < 25*8192*4 || got > 26*8192*4 {
		t.Errorf("neural-network touches %d bytes", got)
	}
	// 2^16 states of 16 bytes.
	if got := footprint("quantum-register"); got < 16<<16 || got > 17<<16 {
		t.Errorf("quantum-register touches %d bytes", got)
	}
	// 10^4 sites of 16 bytes, twice, and four links each.
	if got := footprint("stencil"); got < 6*160_000 || got > 61*16_000 {
		t.Errorf("stencil touches %d bytes", got)
	}
}

func TestSetsNameProgramsThatExist(t *testing.T) {
	for _, s := range Sets() {
		if len(s.Programs) != 4 {
			t.Errorf("%s has %d programs", s.Name, len(s.Programs))
		}
		for _, p := range s.Programs {
			if _, err := Open(p); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	for _, s := range SharingSets() {
		if names, ok := Find(s.Name); !ok || len(names) != 1 {
			t.Errorf("%s is %v", s.Name, names)
		}
	}
	for _, p := range Threaded() {
		for _, name := range []string{p, Few(p)} {
			if _, err := Open(name); err != nil {
				t.Error(err)
			}
		}
	}
	if _, ok := Find("S3"); ok {
		t.Error("S3 was found")
	}
	if _, err := Open("mcf"); err == nil || !strings.Contains(err.Error(), "pointer-chase") {
		t.Errorf("%v", err)
	}
}
