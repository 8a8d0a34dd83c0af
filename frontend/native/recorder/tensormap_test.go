// SPDX-License-Identifier: Apache-2.0

//go:build linux

package recorder

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
)

// tensorMessage asks for a map of floats (element 7) at an address.
func tensorMessage(element, swizzle, im2col, address uint64, lists ...[]uint64) []byte {
	b := wire.AppendNumbers(nil, element, swizzle, 0, im2col, address)
	for _, list := range lists {
		b = wire.AppendNumbers(wire.AppendNumbers(b, uint64(len(list))), list...)
	}
	return wire.AppendReply(nil, uint32(wire.KindTensorMap), b)
}

// replies splits what a session answers, after the greeting, into statuses and bodies.
func replies(data []byte) (statuses []uint32, bodies [][]byte) {
	for len(data) >= 8 {
		n := binary.LittleEndian.Uint32(data[4:])
		statuses, bodies = append(statuses, binary.LittleEndian.Uint32(data)), append(bodies, data[8:8+n])
		data = data[8+n:]
	}
	return statuses, bodies
}

func repliesOf(t *testing.T, sent []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, _, err := recordedTo(t, sent, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A map is one that the emulator reads back, with what the program asked for.
func TestTensorMapsAreWhatTheProgramAskedFor(t *testing.T) {
	minus := ^uint64(0)
	tiled := tensorMessage(7, 3, 0, 0x1000, []uint64{100, 60}, []uint64{400}, []uint64{32, 8}, []uint64{1, 2}, nil, nil)
	columns := tensorMessage(6, 0, 1, 0x2000, []uint64{64, 20, 10}, []uint64{128, 2560}, []uint64{16, 24}, []uint64{1, 1, 1}, []uint64{minus}, []uint64{minus - 1})
	statuses, bodies := replies(repliesOf(t, joined(greeting(), tiled, columns)))
	var got [2]memory.TensorMap
	for i := range got {
		at := len(bodies) - 2 + i
		if statuses[at] != 0 || len(bodies[at]) != 8+memory.TensorMapBytes {
			t.Fatalf("map %d: status %d, %d bytes", i, statuses[at], len(bodies[at]))
		}
		if err := got[i].Decode(bodies[at][8:]); err != nil {
			t.Fatal(err)
		}
	}
	if m := got[0]; m.Element != ptx.F32 || m.Swizzle != 128 || m.Address != 0x1000 || m.Sizes[1] != 60 || m.Strides[0] != 400 || m.Box[0] != 32 || m.ElementStrides[1] != 2 || m.Im2col != nil {
		t.Errorf("the tiled map is %+v", m)
	}
	if m := got[1]; m.Element != ptx.F16 || m.Im2col == nil || m.Im2col.Channels != 16 || m.Im2col.Pixels != 24 || m.Im2col.Lower[0] != -1 || m.Im2col.Upper[0] != -2 {
		t.Errorf("the map of columns is %+v", m)
	}
}

// What no map can have is refused, and the session goes on.
func TestTensorMapsThatAreRefused(t *testing.T) {
	one := []uint64{1}
	for name, m := range map[string][]byte{
		"an element that is none": tensorMessage(99, 0, 0, 0, []uint64{64}, nil, []uint64{32}, one, nil, nil),
		"one that flushes":        tensorMessage(8, 0, 0, 0, []uint64{64}, nil, []uint64{32}, one, nil, nil),
		"a swizzle":               tensorMessage(7, 4, 0, 0, []uint64{64}, nil, []uint64{32}, one, nil, nil),
		"an address":              tensorMessage(7, 0, 0, 8, []uint64{64}, nil, []uint64{32}, one, nil, nil),
		"no dimensions":           tensorMessage(7, 0, 0, 0, nil, nil, nil, nil, nil, nil),
		"a box of 2^40":           tensorMessage(7, 0, 0, 0, []uint64{64}, nil, []uint64{1 << 40}, one, nil, nil),
		"a box of 2^32 and 32":    tensorMessage(7, 0, 0, 0, []uint64{64}, nil, []uint64{1<<32 + 32}, one, nil, nil),
		"columns without corners": tensorMessage(7, 0, 1, 0, []uint64{64, 8, 8}, []uint64{256, 2048}, []uint64{16, 8}, []uint64{1, 1, 1}, nil, nil),
		"a size of 2^40":          tensorMessage(7, 0, 0, 0, []uint64{1 << 40}, nil, []uint64{32}, one, nil, nil),
	} {
		statuses, _ := replies(repliesOf(t, joined(greeting(), m, message(wire.KindMemory))))
		if n := len(statuses); statuses[n-2] != errInvalidValue || statuses[n-1] != 0 {
			t.Errorf("%s: statuses %v", name, statuses)
		}
	}
}
