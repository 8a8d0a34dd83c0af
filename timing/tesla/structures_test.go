// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/wtape"
)

// sizesOf is the multiprocessor of section 5.2 with so many processors: as many registers
// in all, and with 64 a warp of as many threads.
func sizesOf(processors, registerBits int) *Sizes {
	return &Sizes{Processors: processors, WarpWidth: max(processors, 32), WarpSlots: 16, InstructionAddressBits: 8, RegisterAddressBits: registerBits, ConstantAddressBits: 6, SharedAddressBits: 10}
}

func TestAreaAndPowerOfTheTeslaConfiguration(t *testing.T) {
	c := sizesOf(8, 9).Multiprocessor().times(16)
	for _, v := range []struct {
		what           string
		got, published float64
	}{{"area of Table 5.2", c.AreaMM2, 25.41}, {"power of Table 5.2", c.PowerW, 11.55}} {
		if off := v.got/v.published - 1; math.Abs(off) > 0.01 {
			t.Errorf("%s: %.3f, published %.2f: %+.2f %%", v.what, v.got, v.published, 100*off)
		}
	}
}

func TestScalingOfProcessors(t *testing.T) {
	before := sizesOf(4, 10).Multiprocessor()
	for i, want := range []struct{ processors, power float64 }{{83, 49}, {81, 47}, {32, 32}, {-5, 8}} { // Table 5.3, in %
		now := sizesOf(8<<i, 9-i).Multiprocessor()
		processors := 100 * (2*before.AreaMM2/now.AreaMM2 - 1)
		power := 100 * (1 - now.PowerW/before.PowerW/2)
		t.Logf("%d to %d: processors per area %+.1f %%, published %+.0f; power per processor -%.1f %%, published -%.0f", 4<<i, 8<<i, processors, want.processors, power, want.power)
		if math.Abs(processors-want.processors) > 5 || math.Abs(power-want.power) > 5 {
			t.Errorf("%d to %d processors: off by more than 5 points", 4<<i, 8<<i)
		}
		before = now
	}
}

// Structures have the power of the synthesis, at 300 MHz, whatever the machine's clock is:
// the energy model takes uses off it, and the rest goes with the clock.
func TestStructuresHaveThePowerOfTheSynthesis(t *testing.T) {
	s := &Section{Processors: 8, WarpWidth: 32, WarpSlots: 16, BlockSlots: 8, Parameters: 16, InstructionAddressBits: 8, RegisterAddressBits: 9, ConstantAddressBits: 6, SharedAddressBits: 10}
	sizes := s.Sizes()
	for _, mhz := range []float64{100, 300, 600} {
		m := &arch.Machine{}
		m.Clocks.CoreMHz, m.GPU.SMs = mhz, 3
		var sum Cost
		for _, part := range s.Structures(m) {
			sum.PowerW += part.PowerW * float64(part.Count)
			sum.AreaMM2 += part.AreaMM2 * float64(part.Count)
			if part.PowerMHz != 300 || part.GivenNM != 65 {
				t.Errorf("%s: at %g MHz in %g nm", part.Path, part.PowerMHz, part.GivenNM)
			}
		}
		want := sizes.Multiprocessor().times(3)
		if math.Abs(sum.PowerW/want.PowerW-1) > 1e-9 || math.Abs(sum.AreaMM2/want.AreaMM2-1) > 1e-9 {
			t.Errorf("%g MHz: %+v, want %+v", mhz, sum, want)
		}
	}
}

// A warp that has ended lets its chunk go; the others keep theirs.
func TestWarpsThatHaveEndedLetTheirChunksGo(t *testing.T) {
	b := &block{left: 5}
	p := &multiprocessor{set: new(counters.Set)}
	chunk := new(wtape.Chunk)
	for _, w := range []warp{{valid: true, ends: true, ready: 7}, {valid: true, ready: 7}, {valid: true, ends: true, ready: 8}, {ends: true, ready: 7}} {
		w.of, w.path = b, &path{chunk: chunk}
		p.warps = append(p.warps, w)
	}
	for range 2 {
		p.retire(7)
		held := 0
		for i := range p.warps {
			if p.warps[i].path.chunk == chunk {
				held++
			}
		}
		if held != 3 || b.left != 4 {
			t.Errorf("%d warps hold the chunk, %d are left; want 3 and 4", held, b.left)
		}
	}
}
