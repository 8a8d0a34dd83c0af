// SPDX-License-Identifier: Apache-2.0

package measure

import (
	_ "embed" // for the kernel
	"encoding/binary"
)

// The clock of the SMs is measured by a kernel of one thread, which reads %clock64 and
// %globaltimer, waits until the timer has gone on by a millisecond, and reads both again.
//
//go:embed clock.ptx
var clockPTX []byte

// clockMeter has that kernel on a device.
type clockMeter struct {
	module, function uintptr
	results          uint64 // clock and timer before, clock and timer after
}

func (m *clockMeter) close(g *gpu) {
	if m.results != 0 {
		g.cuMemFree_v2(m.results)
	}
	if m.module != 0 {
		g.cuModuleUnload(m.module)
	}
}

// megahertz is the clock of the SMs now; zero where the device does not tell, as one
// whose timer stands still.
func (g *gpu) megahertz() (float64, error) {
	m := &g.timer
	if m.module == 0 {
		var err error
		if m.module, err = g.load(clockPTX); err != nil {
			return 0, err
		}
		if m.function, err = g.function(m.module, "clock_rate"); err != nil {
			return 0, err
		}
		if m.results, err = g.allocate(32); err != nil {
			return 0, err
		}
	}
	arguments := binary.LittleEndian.AppendUint64(nil, m.results)
	one := shape{grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}}
	if err := g.launch(m.function, &one, arguments); err != nil {
		return 0, err
	}
	if err := g.check("cuCtxSynchronize", g.cuCtxSynchronize()); err != nil {
		return 0, err
	}
	results := make([]byte, 32)
	if err := g.read(results, m.results); err != nil {
		return 0, err
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(results[8*i:]) }
	return rate(word(2)-word(0), word(3)-word(1)), nil
}

// leastTimer is how far the timer, in nanoseconds, must have gone on for a rate: it has
// steps of up to a microsecond.
const leastTimer = 200_000

func rate(cycles, nanoseconds uint64) float64 {
	if nanoseconds < leastTimer || cycles == 0 {
		return 0
	}
	return 1000 * float64(cycles) / float64(nanoseconds)
}
