// SPDX-License-Identifier: Apache-2.0

package teslamatch

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/reference"
)

const runs = "../../../frontend/tesla/reference/runs"

// The trace of one recording of a kernel, in one configuration, replays as the
// reference does in all others. Kernels that depend on the configuration are an
// exception; none of the committed ones does.
func TestReplaysAreTheReferenceToTheCycle(t *testing.T) {
	files, err := reference.ReadAll(runs)
	if err != nil {
		t.Fatal(err)
	}
	count, recordedOnce := 0, 0
	for _, f := range files {
		k, err := f.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		once, first, err := Record(k, machine.Reference(1, 8))
		anywhere := err == nil && len(first.Dependences) == 0
		if anywhere {
			recordedOnce++
		}
		for i := range f.Runs {
			run := &f.Runs[i]
			count++
			r := once
			if !anywhere { // what depends on the configuration is recorded in it
				if r, _, err = Record(k, run.Machine()); err != nil {
					t.Errorf("%s: %v", f.Name, err)
					continue
				}
			}
			name := fmt.Sprintf("%s on %d MPs of %d SPs", f.Name, run.Config.Multiprocessors, run.Config.Processors)
			got, err := Replay(r, run.Machine())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			want, err := run.Log(k.Grid)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Log); diff != "" {
				t.Errorf("%s (-reference +replay):\n%.1500s", name, diff)
			}
			if diff := cmp.Diff([]uint64{run.Cycles, run.Issues, run.Rows, run.Replays, run.Divergences},
				[]uint64{got.Cycles, got.Issues, got.Rows, got.Replays, got.Divergences}); diff != "" {
				t.Errorf("%s: cycles, issues, rows, replays, divergences (-reference +replay):\n%s", name, diff)
			}
		}
	}
	t.Logf("%d runs, %d kernels recorded once", count, recordedOnce)
	if os.Getenv(reference.Variable) == "" && recordedOnce != len(files) {
		t.Errorf("%d of %d kernels do not depend on the configuration", recordedOnce, len(files))
	}
}

// Eight thread blocks share four block slots on purpose, and read their number first.
func TestBlockSlotsAreReusedAsExecuted(t *testing.T) {
	k, err := language.Assemble("reuse", ".grid 8\nLDS r2, BIDX\nLDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\nMVI r1, 32\nMAD r0, r0, r2, r1\n"+
		"LD r4, r0\nMVI r3, 256\nADD r3, r0, r3\nLD r5, r3\nADD r6, r4, r5\nMVI r7, 512\nADD r3, r0, r7\nST r3, r6\nEXIT")
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Record(k, machine.Reference(2, 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, processors := range []int{4, 8, 16, 32} {
		c := machine.Reference(1, processors)
		want, err := machine.Run(k, c, machine.Options{Log: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Replay(r, c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Log, got.Log); diff != "" || got.Cycles != want.Cycles {
			t.Errorf("%d processors: %d cycles, executed %d (-executed +replayed):\n%.1000s", processors, got.Cycles, want.Cycles, diff)
		}
	}
}
