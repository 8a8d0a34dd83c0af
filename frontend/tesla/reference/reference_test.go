// SPDX-License-Identifier: Apache-2.0

package reference_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/tesla/image"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/reference"
)

func files(t *testing.T) []reference.File {
	t.Helper()
	list, err := reference.ReadAll("runs")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestProgramsHaveTheWordsOfTheReference(t *testing.T) {
	for _, f := range files(t) {
		k, err := f.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Check(language.Reference); err != nil {
			t.Error(err)
		}
		var words []string
		for _, w := range k.Words() {
			words = append(words, fmt.Sprintf("%08x", w))
		}
		if diff := cmp.Diff(f.Words, words); diff != "" {
			t.Errorf("%s (-reference +assembled):\n%s", f.Name, diff)
		}
		again, err := language.Assemble(f.Name, k.Disassemble())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(k.Words(), again.Words()); diff != "" {
			t.Errorf("%s disassembled and assembled again: %s", f.Name, diff)
		}
		words36 := image.Of(k)
		if len(words36) != f.ImageWords {
			t.Errorf("%s: an image of %d words, want %d", f.Name, len(words36), f.ImageWords)
		}
		for _, r := range f.Runs {
			if got := image.LoadCycles(words36); got != r.LoadCycles {
				t.Errorf("%s: loading takes %d cycles, want %d", f.Name, got, r.LoadCycles)
			}
		}
	}
}

func TestTheMachineDoesWhatTheReferenceDoes(t *testing.T) {
	runs := 0
	for _, f := range files(t) {
		k, err := f.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Runs {
			r := &f.Runs[i]
			runs++
			name := fmt.Sprintf("%s on %d MPs of %d SPs", f.Name, r.Config.Multiprocessors, r.Config.Processors)
			got, err := machine.Run(k, r.Machine(), machine.Options{Log: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			compare(t, name, &f, r, got)
		}
	}
	t.Logf("%d runs", runs)
}

func compare(t *testing.T, name string, f *reference.File, r *reference.Run, got *machine.Result) {
	t.Helper()
	k, _ := f.Kernel()
	want, err := r.Log(k.Grid)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got.Cycles != r.Cycles || got.Issues != r.Issues || got.Replays != r.Replays || got.Divergences != r.Divergences {
		t.Errorf("%s: %d cycles, %d issues, %d replays, %d divergences; want %d, %d, %d, %d", name,
			got.Cycles, got.Issues, got.Replays, got.Divergences, r.Cycles, r.Issues, r.Replays, r.Divergences)
	}
	if rows := got.Issues * uint64(r.Machine().WarpWidth/r.Config.Processors); rows != r.Rows {
		t.Errorf("%s: %d rows, want %d", name, rows, r.Rows)
	}
	if diff := cmp.Diff(want, got.Log); diff != "" {
		t.Errorf("%s (-reference +machine):\n%.2000s", name, diff)
	}
	for mp, shared := range got.Shared {
		words, err := r.SharedWords(mp)
		if err != nil {
			t.Fatal(err)
		}
		nonzero := map[int]uint32{}
		for address, value := range shared {
			if value != 0 {
				nonzero[address] = value
			}
		}
		if diff := cmp.Diff(words, nonzero); diff != "" {
			t.Errorf("%s: shared memory of multiprocessor %d (-reference +machine):\n%.2000s", name, mp, diff)
		}
	}
	for _, d := range got.Dependences {
		t.Logf("%s depends on %v: %s", name, d.On, d.Reason)
	}
}
