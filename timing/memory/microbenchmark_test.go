// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/published"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Pointer chases, bandwidths and bank conflicts are those that were published.
func TestMemoryIsAsMicrobenchmarksMeasuredIt(t *testing.T) {
	list, err := published.MeasuredBy("model")
	if err != nil {
		t.Fatal(err)
	}
	measure := map[string]func(t *testing.T, m *arch.Machine, of string) float64{
		"chase": chase, "bandwidth": bandwidth, "conflict": conflict,
	}
	list = slices.DeleteFunc(list, func(f published.Figure) bool { return measure[f.Kind()] == nil })
	for _, f := range tracetest.Draw(t, list, len(list)/tracetest.Fewer(32, 16)) {
		run := measure[f.Kind()]
		got := run(t, machine(t, f.Machine, func(*arch.Machine) {}), f.Of())
		if got < f.Least || got > f.Most {
			t.Errorf("%s: %s: %.1f %s, want %v to %v (%s)", f.Machine, f.Benchmark, got, f.Unit, f.Least, f.Most, f.Source)
		}
	}
}

// chase is the latency of a load that hits a level.
func chase(t *testing.T, m *arch.Machine, level string) float64 {
	r := newRig(t, m)
	constant := func(token uint32, address uint64) seam.MemoryAccess {
		a := load(token, address, 0)
		a.Space = trace.SpaceConst
		return a
	}
	var access seam.MemoryAccess
	switch level {
	case "l1":
		r.latency(0, load(1, 512, 0))
		access = load(2, 512, 0)
	case "l2":
		r.latency(0, oneSector(1, 512))
		access = oneSector(2, 512)
	case "l2 far":
		r.latency(0, oneSector(1, 512))
		return float64(r.latency(m.GPU.SMs-1, oneSector(2, 512)))
	case "shared":
		access = load(1, 0, 0)
		access.Space = trace.SpaceShared
	case "memory":
		access = oneSector(1, 1<<20)
	case "constant":
		r.latency(0, constant(1, 0))
		access = constant(2, 0)
	case "constant behind":
		r.latency(0, constant(1, 0))
		for way := range uint32(m.Constant.Ways) { // lines of the same set
			r.latency(0, constant(2+way, uint64(1+way)*uint64(m.Constant.Bytes/m.Constant.Ways)))
		}
		access = constant(100, 0)
	case "constant l2":
		r.latency(0, constant(1, 0))
		r.sms[0].port.KernelEnd(r.now)
		access = constant(2, 0)
	default:
		t.Fatalf("nothing measures %q", level)
	}
	return float64(r.latency(0, access))
}

// bandwidth is bytes a cycle of an SM from shared memory or the L1, or GB/s of all SMs from DRAM, where
// each SM has 64 loads under way: between two numbers of loads, without beginning and end.
func bandwidth(t *testing.T, m *arch.Machine, level string) float64 {
	few, sms, pattern := 1000, 1, func(int, int) seam.MemoryAccess {
		a := load(1, 0, 4)
		a.Space = trace.SpaceShared
		return a
	}
	if level == "memory" {
		sms = m.GPU.SMs
		few, pattern = 600*sms, func(sm, n int) seam.MemoryAccess { return load(1, uint64(n*sms+sm)*128, 4) }
	} else if level == "l1" {
		pattern = func(_, n int) seam.MemoryAccess { // 256 bytes, of a few lines that are there
			a := load(1, uint64(n%8)*256, 8)
			a.LaneBytes = 8
			return a
		}
	} else if stores := map[string]int{"memory write": 1, "memory copy": 2}[level]; stores > 0 {
		return stored(t, m, stores)
	} else if level != "shared" {
		t.Fatalf("nothing measures %q", level)
	}
	cycles := func(accesses int) float64 {
		r := newRig(t, m)
		r.sms = r.sms[:sms]
		newTraffic(r, 64, pattern).run(accesses)
		return float64(r.now)
	}
	each := float64(few) * 128 / (cycles(2*few) - cycles(few))
	switch level {
	case "shared":
		return each
	case "l1":
		return 2 * each
	}
	return each * m.Clocks.CoreMHz / 1000
}

// stored is the bandwidth of DRAM in GB/s where all SMs store one line and load of-1 others, each
// from a stream of its own. SMs take the lines of a stream in turn, and the L2 is full of written lines before.
func stored(t *testing.T, m *arch.Machine, of int) float64 {
	r := newRig(t, m)
	var lines [2]uint64
	traffic := newTraffic(r, 64, func(_, n int) seam.MemoryAccess {
		stream := n % of
		at := uint64(stream)<<30 + lines[stream]*128
		lines[stream]++
		if stream == 0 {
			return store(at, 4)
		}
		return load(1, at, 4)
	})
	run := func(accesses int) float64 {
		begin := r.now
		traffic.run(accesses)
		return float64(r.now - begin)
	}
	few := m.L2.Partitions * m.L2.SlicesPerPartition * m.L2.Slice.Bytes / 128
	run(of * few)
	once := run(few)
	return float64(few) * 128 / (run(2*few) - once) * m.Clocks.CoreMHz / 1000
}

// conflict is how many cycles longer a load takes whose lanes want so many words of a bank.
func conflict(t *testing.T, m *arch.Machine, degree string) float64 {
	of := map[string]int{"2": 2, "32": 32}[degree]
	took := func(degree int) clock.Cycle {
		var lanes [32]uint64
		for lane := range lanes {
			lanes[lane] = uint64(lane % degree * m.Shared.Banks * m.Shared.BankBytes)
		}
		a := load(1, 0, 4)
		a.Space, a.Chunk = trace.SpaceShared, wtape.NewChunk()
		a.Access = a.Chunk.AddLanes(a.Mask, &lanes)
		return newRig(t, m).latency(0, a)
	}
	if of == 0 {
		t.Fatalf("nothing measures %q", degree)
	}
	return float64(took(of) - took(1))
}

// A pointer chase over as many lines as the L1 has finds them all there. One over a line more
// in each set finds none, as the line that was used longest ago goes first.
func TestAPointerChaseSeesTheCapacityOfTheL1(t *testing.T) {
	for _, name := range []string{"v100", "rtx2080ti", "rtx3090", "a100", "h100"} {
		m := machine(t, name, func(m *arch.Machine) { m.GPU.SMs = 1 })
		for _, more := range []int{0, 1} {
			r := newRig(t, m)
			sets := m.L1.Sets()
			lines, token := sets*(m.WidestL1().Ways+more), uint32(0)
			walk := func() (total clock.Cycle) {
				for n := range lines {
					token++
					total += r.latency(0, load(token, uint64(n)*128, 0))
				}
				return total
			}
			walk()
			each := float64(walk()) / float64(lines)
			if hits := each == float64(m.L1.LatencyCycles); hits != (more == 0) {
				t.Errorf("%s: a chase over %d lines takes %.1f cycles each, a hit %d", name, lines, each, m.L1.LatencyCycles)
			}
		}
	}
}
