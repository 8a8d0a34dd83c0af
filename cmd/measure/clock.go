// SPDX-License-Identifier: Apache-2.0

package measure

import (
	_ "embed" // for the kernel
	"encoding/binary"

	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/trace"
)

// A kernel of one thread measures the clock of the SMs. It reads %clock64 and
// %globaltimer, waits until the timer has gone on by a millisecond, and reads both again.
//
//go:embed clock.ptx
var clockPTX []byte

// clockMeter has that kernel on a device.
type clockMeter struct {
	gpu      *driver.Device
	module   *driver.Module // nil before it is used
	function *driver.Function
	results  uint64 // clock and timer before, clock and timer after
}

func (m *clockMeter) close() {
	if m.results != 0 {
		m.gpu.Release(m.results)
	}
	if m.module != nil {
		m.module.Unload()
	}
}

// open puts the kernel on the device.
func (m *clockMeter) open() (err error) {
	if m.module != nil {
		return nil
	}
	if m.module, err = m.gpu.Load(clockPTX); err != nil {
		m.module = nil
		return err
	}
	if m.function, err = m.module.Function("clock_rate"); err != nil {
		return err
	}
	m.results, err = m.gpu.Allocate(32)
	return err
}

// megahertz is the clock of the SMs now; zero where the device does not tell, as one
// whose timer stands still.
func (m *clockMeter) megahertz() (float64, error) {
	if err := m.open(); err != nil {
		return 0, err
	}
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	if err := m.function.Launch(one, one, 0, binary.LittleEndian.AppendUint64(nil, m.results)); err != nil {
		return 0, err
	}
	if err := m.gpu.Synchronize(); err != nil {
		return 0, err
	}
	results := make([]byte, 32)
	if err := m.gpu.Read(results, m.results); err != nil {
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
