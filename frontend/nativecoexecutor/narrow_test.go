// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
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

// A kernel with more basic blocks than one indexed branch has targets: its entry switch has
// several tables.
func TestThousandsOfSegmentsAreRecordedAlike(t *testing.T) {
	tracetest.Nightly(t)
	var text strings.Builder
	text.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry long(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p<2>;\n" +
		"mov.u32 %r1, %tid.x; mov.u32 %r2, 1; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n")
	for i := range 600 {
		fmt.Fprintf(&text, "and.b32 %%r3, %%r2, %d; setp.eq.u32 %%p1, %%r3, 0; @%%p1 bra B%d; mad.lo.u32 %%r2, %%r2, 1664525, %d;\nB%d: add.u32 %%r2, %%r2, %d;\n", 1<<(i%5), i, i, i, i%3)
	}
	text.WriteString("st.global.u32 [%d1], %r2; ret;\n}\n")
	m, err := ptx.Parse("long.ptx", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	r := run{module: m, kernel: "long", grid: one, block: one, buffers: [][]byte{make([]byte, 4)}}
	d := open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	r.compare(t, d)
}
