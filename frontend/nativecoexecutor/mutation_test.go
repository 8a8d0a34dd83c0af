// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// mutation changes one field of a record that it fits; false where it fits none.
type mutation struct {
	name   string
	kind   contamination.Kind
	change func(record []byte, lanes uint32) bool
}

// word changes 32 bits of a record.
func word(at int, change func(v, lanes uint32) uint32) func(record []byte, lanes uint32) bool {
	return func(record []byte, lanes uint32) bool {
		before := binary.LittleEndian.Uint32(record[at:])
		after := change(before, lanes)
		binary.LittleEndian.PutUint32(record[at:], after)
		return before != after
	}
}

var (
	another   = word(0, func(v, _ uint32) uint32 { return v + 1 })                           // statement
	fewer     = word(4, func(v, _ uint32) uint32 { return v & (v - 1) })                     // lanes
	more      = word(4, func(v, _ uint32) uint32 { return v | (v + 1) })                     // lanes
	otherKind = word(0, func(v, _ uint32) uint32 { return v ^ 0x3000_0000 })                 // visit for next
	holds     = word(8, func(v, lanes uint32) uint32 { return v ^ 1<<bits.Len32(lanes)>>1 }) // of the last lane
)

var mutations = []mutation{
	{"a visit's statement", contamination.KindVisit, another},
	{"a visit's lanes", contamination.KindVisit, fewer},
	{"more lanes of a visit", contamination.KindVisit, more},
	{"a visit's kind", contamination.KindVisit, otherKind},
	{"the next segment", contamination.KindNext, another},
	{"the lanes that come next", contamination.KindNext, fewer},
	{"the lanes that come next, and more", contamination.KindNext, more},
	{"the next segment's kind", contamination.KindNext, otherKind},
	{"a guard's statement", contamination.KindGuard, another},
	{"a guard's lanes", contamination.KindGuard, fewer},
	{"a guard's lanes, and more", contamination.KindGuard, more},
	{"the lanes for which a guard holds", contamination.KindGuard, holds},
	{"a line's statement", contamination.KindStrided, another},
	{"a line's lanes", contamination.KindStrided, fewer},
	{"a line's lanes, and more", contamination.KindStrided, more},
	{"a line's first value", contamination.KindStrided, word(8, func(v, _ uint32) uint32 { return v + 4 })},
	{"a line's stride", contamination.KindStrided, func(record []byte, lanes uint32) bool {
		return bits.OnesCount32(lanes) > 1 && word(16, func(v, _ uint32) uint32 { return v + 4 })(record, lanes)
	}},
	{"a list's statement", contamination.KindList, another},
	{"a list's lanes", contamination.KindList, fewer},
	{"a list's last value", contamination.KindList, func(record []byte, lanes uint32) bool {
		return word(8*bits.OnesCount32(lanes), func(v, _ uint32) uint32 { return v + 4 })(record, lanes)
	}},
}

// mutated are kernels that log all kinds of record, and nothing that is allowed to differ: no
// operand whose value is of no consequence.
func mutated(t testing.TB) map[string]run {
	r := structures(t, `mov.b64 %d4, fields; add.s64 %d4, %d4, %d3; ld.param.u32 %r2, [%d4]; @%p1 st.global.u32 [%d2], %r2; and.b32 %r4, %r0, 3;
	@%p1 bra BY; ld.global.u32 %r3, [%d2]; add.u32 %r2, %r2, %r3; setp.eq.u32 %p2, %r4, 1; @%p2 atom.global.add.u32 %r3, [%d2], 1;
BY: mov.u32 %r5, tile; mad.lo.u32 %r5, %r4, 4, %r5; @!%p1 st.shared.u32 [%r5], %r2;
	L: .branchtargets A, B, END; min.u32 %r4, %r4, 2; @%p1 brx.idx %r4, L;
A: add.u32 %r2, %r2, 1; ld.shared.u32 %r3, [%r5];
B: xor.b32 %r2, %r2, %r3;`)
	r.grid, r.block = trace.Dim3{X: 1, Y: 1, Z: 1}, trace.Dim3{X: 40, Y: 1, Z: 1}
	return map[string]run{"structures": r}
}

// Each field of each kind of record, changed once in several records, is an error or another
// trace, in both modes.
func TestAnyAlteredRecordIsSeen(t *testing.T) {
	const places = 5
	enough := tracetest.Fewer(1, places)
	for name, r := range mutated(t) {
		want, _, err := r.record(t, emulator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range tracetest.Draw(t, []contamination.Mode{contamination.Straight, contamination.Segments}, 1) {
			var m *mutation
			seen, n, changed := 0, 0, false
			d := open(t, nativecoexecutor.Options{Mode: mode, Alter: func(log []byte) {
				for at := 0; at < len(log); {
					kind, lanes := contamination.Kind(log[at+3]>>4), binary.LittleEndian.Uint32(log[at+4:])
					size := map[contamination.Kind]int{contamination.KindGuard: 16, contamination.KindStrided: 24, contamination.KindList: 8 + 8*bits.OnesCount32(lanes)}[kind]
					if kind == m.kind {
						if seen == n {
							changed = m.change(log[at:at+max(size, 8)], lanes)
						}
						seen++
					}
					at += max(size, 8)
				}
			}})
			for i := range mutations {
				m = &mutations[i]
				fits := 0
				for place := 0; place < places && fits < enough; place++ {
					seen, n, changed = 0, 3*place, false
					got, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
					if !changed {
						continue
					}
					if fits++; err == nil && bytes.Equal(got, want) {
						t.Errorf("%s, %s: %s, record %d: the change is not seen", name, mode, m.name, n)
					}
				}
				if expected := m.kind != contamination.KindNext || mode == contamination.Segments; (fits > 0) != expected {
					t.Errorf("%s, %s: %s was changed %d times", name, mode, m.name, fits)
				}
			}
		}
	}
}
