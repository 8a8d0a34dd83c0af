// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"encoding/binary"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/trace"
)

// instructionBytes is what the fuzzer spends on an instruction.
const instructionBytes = 20

// fuzzed makes instructions of bytes: any address, register, branch and number of
// operands that a trace may have.
func fuzzed(data []byte) []cpu.Instruction {
	var all []cpu.Instruction
	for ; len(data) >= instructionBytes; data = data[instructionBytes:] {
		in := cpu.Instruction{
			IP: binary.LittleEndian.Uint64(data), Branch: trace.CPUBranch(data[8] % 8), Taken: data[8]&64 != 0,
			Loads: data[9] & 3, Stores: data[9] >> 2 & 3,
		}
		in.Sources[0], in.Sources[3], in.Destinations[0] = data[10], data[11], data[11]
		for i := range in.LoadAddresses {
			in.LoadAddresses[i] = binary.LittleEndian.Uint64(data[12:]) << (uint(i) * 7)
			in.StoreAddresses[i] = binary.LittleEndian.Uint64(data[12:]) >> (uint(i) * 9)
		}
		all = append(all, in)
	}
	return all
}

// Any stream of a valid trace ends, with every instruction retired, in both orders and
// next to another core with the same stream.
func FuzzStreams(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijABCDEFGHIJKLMNOPQRSTUVWXYZ!?0123456789"), false)
	f.Add(make([]byte, 10*instructionBytes), true)
	high := make([]byte, 6*instructionBytes)
	for i := range high {
		high[i] = 0xff - byte(i%3)
	}
	f.Add(high, false)
	f.Fuzz(func(t *testing.T, data []byte, inOrder bool) {
		all := fuzzed(data)
		c := build(t, func(s *cpu.Section) {
			s.TLBEntries, s.Misses, s.StoreBuffer, s.ROBEntries = 1, 2, 4, 8
			if inOrder {
				s.Order = "in_order"
			}
		})
		left := 2
		c.ended = func(clock.Time, int) { left-- }
		for core := range left {
			c.cluster.Run(0, core, cpu.Job{Space: 1, Stream: &list{all: all}})
		}
		if _, err := c.replay(t.Context(), &left, nil); err != nil {
			t.Fatal(err)
		}
		if got := c.cores[0][cpu.Instructions]; got != uint64(len(all)) {
			t.Errorf("%d of %d instructions retired", got, len(all))
		}
	})
}
