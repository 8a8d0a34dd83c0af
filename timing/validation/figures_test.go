// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// The figures are what their names say, by hand. The L1 has 30 reads and 10 writes; 7
// reads and the 8 writes that found no line are misses. Misses among the 100 accesses of
// the L2 are 20 reads, 5 writes of a new line and 2 of a new sector.
func TestFiguresAreCountedAsTheReferenceCounts(t *testing.T) {
	var s replay.Section
	s.Cycles = 1234
	for id, n := range map[counters.ID]uint64{
		counters.L1Read: 30, counters.L1ReadMiss: 7, counters.L1Write: 10, counters.L1WriteHit: 2,
		counters.L2Read: 60, counters.L2ReadMiss: 20, counters.L2Write: 40, counters.L2WriteMiss: 5, counters.L2WriteSectorMiss: 2,
		counters.DRAMActivate: 11, counters.DRAMRead: 13, counters.DRAMWrite: 17, counters.DRAMBusCycles: 30, counters.DRAMChannelCycles: 120,
	} {
		s.Counters[id] = n
	}
	want := Figures{Cycles: 1234, L1MissRate: 15.0 / 40, L2MissRate: 27.0 / 100, Activates: 11, Reads: 13, Writes: 17, BusUse: 0.25}
	if got := Measure(&s); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Measure(new(replay.Section)); got != (Figures{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Every column of a row as it is written in the file: the rate there is in thousands.
func TestARowIsReadColumnByColumn(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	want := Row{
		Name: "transpose_1024", Registers: 12, WarpInstructions: 917504, Rate: 9730,
		Reference: Figures{Cycles: 285676, L1MissRate: 0.9995, L2MissRate: 0.7088, Activates: 118171, Reads: 134678, Writes: 383932, BusUse: 0.4584},
	}
	got := rows[1]
	if math.Abs(got.Rate-want.Rate) < 1e-9*want.Rate {
		got.Rate = want.Rate
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
