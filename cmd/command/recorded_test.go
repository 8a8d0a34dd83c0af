// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// The traces that are committed for those who only replay do: every instruction
// that was recorded is issued.
func TestCommittedRecordingsReplay(t *testing.T) {
	// A plain run replays the tiny recordings: others take seconds.
	pattern := []string{"tiny/*.wtape", "*.wtape"}[tracetest.Fewer(0, 1)]
	files, err := filepath.Glob("../../traces/recorded/" + pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	machine, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tracetest.Draw(t, files, tracetest.Fewer(1, 8)) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r, err := wtape.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if testing.Short() && r.Totals().WarpInstructions > 600_000 {
				return // the race detector, which runs the short tests, takes minutes for these
			}
			results, err := replay.Run(t.Context(), r, []*arch.Machine{machine}, replay.Options{Version: "test", Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := results[0].Total.Counters[counters.IssuedWarp], r.Totals().WarpInstructions; got != want {
				t.Errorf("%d instructions were issued, %d recorded", got, want)
			}
		})
	}
}
