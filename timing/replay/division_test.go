// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// On cards, L1 and shared memory of a launch make up the array that they divide, and the shared
// memory holds the resident thread blocks. The total, and machines that divide nothing, have none.
func TestResultsSayHowALaunchDividesItsArray(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Load(trace.SpaceGlobal, 1, 2)
	k.Exit()
	tape := gputest.Trace(t,
		gputest.Launch{Kernel: k, Blocks: 2, Threads: 64},
		gputest.Launch{Kernel: k, Blocks: 2, Threads: 64, DynamicBytes: 9 << 10},
		gputest.Launch{Kernel: k, Blocks: 2, Threads: 64, DynamicBytes: 40 << 10})
	results := run(t, tape, load(t, "v100", "rtx2080ti", "rtx3090", "a100", "h100", "gtx480", "v100+set(l1.mshrs=99)"), Options{})
	for i := range results {
		r := &results[i]
		unified := r.Architecture.L1.UnifiedBytes
		if (unified > 0) == (r.Machine == "gtx480") {
			t.Fatalf("%s: an array of %d bytes", r.Machine, unified)
		}
		for n, l := range r.Launches {
			if l.L1Bytes+l.SharedBytes != unified {
				t.Errorf("%s launch %d: %d and %d bytes of %d", r.Machine, n, l.L1Bytes, l.SharedBytes, unified)
			}
			if need := l.BlocksPerSM * []int{0, 9 << 10, 40 << 10}[n]; unified > 0 && l.SharedBytes < need {
				t.Errorf("%s launch %d: %d bytes for thread blocks that need %d", r.Machine, n, l.SharedBytes, need)
			}
		}
		if r.Total.L1Bytes != 0 || r.Total.SharedBytes != 0 {
			t.Errorf("%s: the total has a division", r.Machine)
		}
	}
	for i, want := range []bool{true, false} { // the first five, and gtx480
		var text bytes.Buffer
		if err := WriteCSV(&text, results[5*i:5*i+5-4*i]); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		column := slices.Index(rows[0], "l1_bytes")
		if (column >= 0) != want {
			t.Fatalf("columns %v", rows[0])
		}
		if want && (rows[1][column] != strconv.Itoa(results[0].Launches[0].L1Bytes) || rows[4][column] != "") {
			t.Errorf("the CSV has %q for the first launch and %q for the total", rows[1][column], rows[4][column])
		}
	}
}
