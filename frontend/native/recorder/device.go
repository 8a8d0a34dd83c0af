// SPDX-License-Identifier: Apache-2.0

package recorder

import "github.com/warptape/warptape/frontend/native/wire"

// Device is what a program can learn of its device.
type Device struct {
	Name                          string
	Major, Minor                  uint64 // compute capability
	Multiprocessors               uint64
	ClockKHz, MemoryClockKHz      uint64
	BusBits, L2Bytes, MemoryBytes uint64
	SharedPerBlock, SharedPerSM   uint64
	SharedOptIn                   uint64 // for a thread block of a kernel that asks
	RegistersPerSM, ThreadsPerSM  uint64
	BlocksPerSM                   uint64
	GPCs                          uint64 // graphics processing clusters, at least one
	RegisterUnit                  uint64 // registers of a warp are handed out in this
	Schedulers                    uint64 // of an SM, for estimates of time
	LinkBytesPerSecond            float64
}

const constantBytes = 64 << 10

// numbers are the properties in the order of the runtime library.
func (d *Device) numbers() []uint64 {
	return []uint64{
		d.Major, d.Minor, d.Multiprocessors, d.ClockKHz, d.MemoryClockKHz, d.BusBits, d.L2Bytes, d.MemoryBytes,
		d.SharedPerBlock, d.SharedPerSM, d.RegistersPerSM, d.ThreadsPerSM, d.BlocksPerSM, constantBytes, d.RegisterUnit, d.SharedOptIn, max(d.GPCs, 1),
	}
}

// hello is the reply to the first message.
func (d *Device) hello(arenaBytes uint64) []byte {
	n := d.numbers()
	b := wire.AppendNumbers(nil, arenaBytes, uint64(len(n)))
	return wire.AppendBytes(wire.AppendNumbers(b, n...), d.Name)
}
