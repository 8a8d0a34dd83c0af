// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"encoding/csv"
	"strconv"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

func TestIntervalRowsAddUpToTheTotalOfTheirMachine(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassF32Fma, 3, 1).Store(trace.SpaceGlobal, 4, 3).Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 40, Threads: 256}, gputest.Launch{Kernel: k, Blocks: 3, Threads: 32})
	var machines []*arch.Machine
	for _, name := range []string{"gtx480", "gpsim-soc"} {
		m, err := arch.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
	}
	results, err := Run(context.Background(), r, machines, Options{IntervalCycles: 100})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteIntervalCSV(&b, results); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	number := func(row []string, name string) uint64 {
		n, err := strconv.ParseUint(row[column[name]], 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	for i := range results {
		var issued, written, cycles uint64
		for _, row := range rows[1:] {
			if row[0] == results[i].Machine {
				issued += number(row, "issued_warp_instructions")
				written += number(row, "l2_writes")
				cycles += number(row, "end_cycle") - number(row, "start_cycle")
			}
		}
		if want := (40*8 + 3) * 4; issued != uint64(want) {
			t.Errorf("%s: %d warp instructions in all intervals, want %d", results[i].Machine, issued, want)
		}
		if written == 0 || cycles < uint64(results[i].Total.Cycles) || cycles > uint64(results[i].Total.Cycles)+100_000 {
			t.Errorf("%s: %d writes; intervals span %d cycles of %d", results[i].Machine, written, cycles, results[i].Total.Cycles)
		}
	}
}
