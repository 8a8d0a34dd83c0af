// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// inStreams are launches in three streams, the last after the first of each.
func inStreams() []gputest.Launch {
	var list []gputest.Launch
	for i := range 6 {
		l := streaming(8 + i)
		if i%2 == 1 {
			l = tiled(6)
		}
		l.Stream = uint32(i % 3)
		list = append(list, l)
	}
	list[5].After = []int{0, 1}
	return list
}

func TestLaunchesOfSeveralStreamsGiveTheSameBytesWithAnyNumberOfWorkers(t *testing.T) {
	r := gputest.Trace(t, inStreams()...)
	specs := append([]string{"gtx480+kernels-round-robin", "gtx480+serial-kernels", "gtx480+write-drain", "gtx480+dram-hbm2", "gtx480+bank-group-interleave"}, builtIn...)
	specs = tracetest.Draw(t, specs, tracetest.Fewer(3, 5))
	var want string
	for _, workers := range append([]int{1}, tracetest.Draw(t, []int{2, 8}, 1)...) {
		results := run(t, r, load(t, specs...), Options{Workers: workers})
		got := written(t, results)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
}

// TestCountersOfOverlappingLaunchesAddUp: what SMs count belongs to a launch
// each; what the rest counts belongs to one or is in the total only.
func TestCountersOfOverlappingLaunchesAddUp(t *testing.T) {
	r := gputest.Trace(t, inStreams()...)
	for _, res := range run(t, r, load(t, "gtx480", "gpsim-soc", "gtx480+serial-kernels"), Options{}) {
		var sum counters.Set
		overlapped := 0
		for i := range res.Launches {
			l := &res.Launches[i]
			set := counters.Set(l.Counters)
			sum.Add(&set)
			if l.Overlapped {
				overlapped++
			}
			if l.End-l.Start != l.Cycles || l.End > res.Total.End {
				t.Errorf("%s: launch %d runs from %d to %d in %d cycles of %d", res.Machine, i, l.Start, l.End, l.Cycles, res.Total.End)
			}
		}
		for _, id := range []counters.ID{counters.IssuedWarp, counters.IssueSlots, counters.ActiveSMCycles, counters.L1Read, counters.GlobalTransactions, counters.BlocksRetired} {
			if sum[id] != res.Total.Counters[id] {
				t.Errorf("%s: %s of the launches add up to %d of %d", res.Machine, counters.Declared(id).Name, sum[id], res.Total.Counters[id])
			}
		}
		for id, n := range sum {
			if n > res.Total.Counters[id] {
				t.Errorf("%s: the launches have %d %s of %d", res.Machine, n, counters.Declared(counters.ID(id)).Name, res.Total.Counters[id])
			}
		}
		if serial := res.Machine == "gtx480+serial-kernels"; serial != (overlapped == 0) || serial && sum != counters.Set(res.Total.Counters) {
			t.Errorf("%s: %d launches overlap", res.Machine, overlapped)
		}
		if serial := res.Total.Cycles == res.Total.End; !serial {
			t.Errorf("%s: without copies the run takes %d cycles, launches run in %d", res.Machine, res.Total.End, res.Total.Cycles)
		}
	}
}

func TestFilesSayWhenLaunchesRan(t *testing.T) {
	results := run(t, gputest.Trace(t, inStreams()...), load(t, "gtx480"), Options{})
	results[0].Copies = append(results[0].Copies, Copy{Event: 3, Direction: "to-host", Bytes: 64, Stream: 2, Start: 5, End: 9})
	var b bytes.Buffer
	if err := WriteCSV(&b, results); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range rows[0] {
		for j := range results[0].Launches {
			l := &results[0].Launches[j]
			want := map[string]string{"start_cycle": strconv.Itoa(int(l.Start)), "end_cycle": strconv.Itoa(int(l.End))}
			if w, ok := want[name]; ok && rows[j+1][i] != w {
				t.Errorf("launch %d: %s is %s, want %s", j, name, rows[j+1][i], w)
			}
		}
	}
	b.Reset()
	if err := WriteJSON(&b, results); err != nil {
		t.Fatal(err)
	}
	var back []struct {
		Copies   []Copy
		Launches []struct {
			Start int64 `json:"start_cycle"`
			End   int64 `json:"end_cycle"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back[0].Copies) != 1 || back[0].Copies[0] != results[0].Copies[0] {
		t.Errorf("copies came back as %+v", back[0].Copies)
	}
	for j, l := range back[0].Launches {
		if l.Start != int64(results[0].Launches[j].Start) || l.End != int64(results[0].Launches[j].End) {
			t.Errorf("launch %d came back as %+v", j, l)
		}
	}
}
