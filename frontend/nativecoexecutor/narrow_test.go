// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"encoding/binary"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/trace"
)

// Registers have what an index in C++ leaves in them, 64 bits or a sum that is less than zero;
// shared, local and constant memory have addresses of 32 bits.
func TestAddressesOfSmallSpacesHave32Bits(t *testing.T) {
	r := run{module: parse(t, "testdata/narrow.ptx"), kernel: "narrow", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 4*64)}}
	_, after, err := r.record(t, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(64) {
		// tile[63-i] and tile[i] before anything is added, table[63-i], what thread i wrote to
		// its own memory, and tile[i] with 3 more.
		want := 7*(63-i) + 7*i + (63 - i) + i + 7*i + 3
		if i > 20 {
			want += 7*i + 1
		}
		if i%2 == 0 {
			want += 7*i + 1
		}
		want += 7*3 + 1
		if i >= 32 { // the first warp has added 2 before
			want += 2
		}
		if got := binary.LittleEndian.Uint32(after[0][4*i:]); got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
	for _, foreign := range []bool{false, true} {
		r.compare(t, open(t, nativecoexecutor.Options{Foreign: foreign}))
		r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments, Foreign: foreign}))
	}
}
