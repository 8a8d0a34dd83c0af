// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// oneAfterTheOther are launches of one stream.
func oneAfterTheOther(n int) []gputest.Launch {
	var list []gputest.Launch
	for i := range n {
		l := streaming(4 + i)
		if i%3 == 1 {
			l = tiled(3)
		}
		list = append(list, l)
	}
	return list
}

// withGap is a machine and the same with another gap.
func withGap(t *testing.T, m *arch.Machine, us float64) *arch.Machine {
	t.Helper()
	c := m.Clone()
	c.GPU.LaunchGapMicroseconds = us
	return c
}

// In one stream a gap passes before each launch: nothing else changes, on any machine.
func TestAGapPassesBeforeEachLaunchAndChangesNoKernel(t *testing.T) {
	all := append(slices.Clone(builtIn), "qv100-ref")
	r := rand.New(rand.NewPCG(tracetest.Seeds(t, 20, 1)[0], 27))
	list := oneAfterTheOther(5)
	for _, m := range load(t, tracetest.Draw(t, all, tracetest.Fewer(2, 3))...) {
		us := float64(1+r.IntN(4000)) / 1000
		without := run(t, gputest.Trace(t, list...), []*arch.Machine{withGap(t, m, 0)}, Options{})[0]
		with := run(t, gputest.Trace(t, list...), []*arch.Machine{withGap(t, m, us)}, Options{})[0]
		gap := clock.Cycle(math.Ceil(us * m.Clocks.CoreMHz))
		for i := range with.Launches {
			a, b := &without.Launches[i], &with.Launches[i]
			if b.Start-a.Start != clock.Cycle(i+1)*gap || b.Cycles != a.Cycles || b.Counters != a.Counters || b.LaunchGap != gap || b.TopDown != a.TopDown {
				t.Errorf("%s, gap %d: launch %d begins at %d and takes %d, and without a gap at %d and %d", m.Name, gap, i, b.Start, b.Cycles, a.Start, a.Cycles)
			}
		}
		n := clock.Cycle(len(list))
		if with.Total.Cycles != without.Total.Cycles || with.Total.Counters != without.Total.Counters || with.Total.LaunchGap != n*gap || with.Total.End != without.Total.End+n*gap {
			t.Errorf("%s: the run takes %d cycles of %d and was on its way for %d, want %d more than %d", m.Name, with.Total.Cycles, with.Total.End, with.Total.LaunchGap, n*gap, without.Total.End)
		}
	}
}

// With streams the launches run at other times, and the bytes are the same at any number of
// workers and processors of a replay.
func TestGapsInSeveralStreamsGiveTheSameBytes(t *testing.T) {
	trace := gputest.Trace(t, inStreams()...)
	var want string
	others := tracetest.Draw(t, []Options{{Workers: 3}, {Workers: 1, Cores: 3}}, tracetest.Fewer(1, 2))
	for _, o := range append([]Options{{Workers: 1}}, others...) {
		results := run(t, trace, load(t, "v100", "a100+serial-kernels", "gtx480+set(gpu.launch_gap_us=0.4)"), o)
		got := written(t, results)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%+v: other bytes", o)
		}
		for i := range results {
			total := &results[i].Total
			if total.LaunchGap <= 0 || total.LaunchGap+total.Cycles != total.End {
				t.Errorf("%s: %d cycles with launches and %d on their way are not the %d of the run", results[i].Machine, total.Cycles, total.LaunchGap, total.End)
			}
		}
	}
}

// Machines that differ in the gap share no replay.
func TestMachinesWithOtherGapsAreNotAlike(t *testing.T) {
	results := run(t, gputest.Trace(t, oneAfterTheOther(2)...), load(t, "v100", "v100+set(gpu.launch_gap_us=2)", "v100+set(gpu.launch_gap_us=0)"), Options{})
	for i, want := range []float64{0.97, 2, 0} {
		if got := results[i].Total.LaunchGap; got != 2*clock.Cycle(math.Ceil(want*1530)) {
			t.Errorf("%s: launches were on their way for %d cycles", results[i].Machine, got)
		}
	}
}

func TestTablesShowGapsWhereThereAreSome(t *testing.T) {
	trace := gputest.Trace(t, oneAfterTheOther(2)...)
	for spec, shown := range map[string]bool{"gtx480": false, "gtx480+set(gpu.launch_gap_us=5)": true} {
		results := run(t, trace, load(t, spec), Options{})
		var table, rows bytes.Buffer
		if err := WriteTable(&table, results); err != nil {
			t.Fatal(err)
		}
		if err := WriteCSV(&rows, results); err != nil {
			t.Fatal(err)
		}
		list, err := csv.NewReader(&rows).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		column := slices.Index(list[0], "launch_gap_cycles")
		if strings.Contains(table.String(), "launches on their way [us]") != shown || (column >= 0) != shown {
			t.Errorf("%s: column %d\n%s", spec, column, table.String())
		}
		if shown {
			if last := list[len(list)-1]; last[column] != strconv.Itoa(2*3500) {
				t.Errorf("%s: the total has %s cycles on the way, want 2 of 5 us at 700 MHz", spec, last[column])
			}
			if got := results[0].Total.TopDown; got.Bottleneck != bottleneckLaunch || !strings.Contains(got.Evidence, "launches are on their way") {
				t.Errorf("%s: %q (%s)", spec, got.Bottleneck, got.Evidence)
			}
		}
	}
}
