// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// begun runs warps of n instructions and then a load. It gives for each warp how many instructions the one
// before it had issued when it issued its own first.
func begun(t *testing.T, change func(*arch.SM), warps, n int) []uint32 {
	t.Helper()
	k := gputest.NewKernel("chain")
	for range n {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Load(trace.SpaceGlobal, 2, 3).Op(trace.ClassIntAdd, 4, 2).Exit()
	m := gputest.Machine()
	change(&m.SM)
	first := make([]uint32, warps)
	seen := make([]bool, warps)
	stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps}, func(_ clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		for w := 1; w < warps; w++ {
			if at, ok := s.Next(w); ok && at > 0 && !seen[w] {
				seen[w] = true
				if first[w], ok = s.At(w - 1); !ok {
					first[w] = uint32(n) + 3
				}
			}
		}
	})
	return first
}

// All warps take turns; of a limited number only so many do, and another begins when one has ended; a scheduler that
// switches at memory instructions begins with the next warp behind the load.
func TestASchedulerAdmitsWarps(t *testing.T) {
	const n, all = 6, 6 + 3
	for _, c := range []struct {
		what   string
		change func(*arch.SM)
		want   [4]uint32 // instructions of the warp before
	}{
		{"all", func(*arch.SM) {}, [4]uint32{0, 1, 1, 1}},
		{"one at a time", func(s *arch.SM) { s.Scheduler, s.SchedulerWarps = "warp-limit", 1 }, [4]uint32{0, all, all, all}},
		{"stays with one", func(s *arch.SM) { s.WarpSwitch = "non" }, [4]uint32{0, all, all, all}},
		{"switches at loads", func(s *arch.SM) { s.WarpSwitch = "mem" }, [4]uint32{0, n + 1, n + 1, n + 1}},
		{"one at a time, switching at loads", func(s *arch.SM) { s.Scheduler, s.SchedulerWarps, s.WarpSwitch = "warp-limit", 1, "mem" }, [4]uint32{0, all, all, all}},
	} {
		if got := [4]uint32(begun(t, c.change, 4, n)); got != c.want {
			t.Errorf("%s: warps begin when those before them are at %v, want %v", c.what, got, c.want)
		}
	}
}

// An SM says how many warps of a launch it has at a time: the most that are seen there.
func TestResidentWarpsAreThoseThatAreSeen(t *testing.T) {
	k := gputest.NewKernel("short")
	k.Op(trace.ClassIntAdd, 1, 1).Exit()
	k.RegistersPerThread = 32
	for _, c := range []struct {
		change func(*arch.Machine)
		shared uint32
		want   int
	}{
		{func(*arch.Machine) {}, 0, 3 * 8}, // thread blocks
		{func(m *arch.Machine) { m.SM.MaxWarps = 11 }, 0, 9},
		{func(m *arch.Machine) { m.SM.MaxThreads = 5 * 96 }, 0, 15},
		{func(m *arch.Machine) { m.SM.Registers = 2*96*32 + 95*32 }, 0, 6},
		{func(m *arch.Machine) { m.Shared.Bytes = 4*1024 + 1023 }, 1024, 12},
	} {
		m := gputest.Machine()
		c.change(m)
		o, err := sm.NewOccupancy(m, &k.Kernel, &trace.Launch{DynamicSharedBytes: c.shared}, 3)
		if err != nil {
			t.Fatal(err)
		}
		most, said := 0, 0
		stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 20, Threads: 96, DynamicBytes: c.shared}, func(_ clock.Cycle, s *sm.SM, _ sm.Lockstep) {
			most, said = max(most, s.Present().Count()), s.ResidentWarps(&o.Need)
		})
		if most != c.want || said != c.want {
			t.Errorf("%d warps are there, the SM says %d, want %d", most, said, c.want)
		}
	}
}
