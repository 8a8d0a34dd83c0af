// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// Bits lie from bit 0 of byte 0 up, without gaps: as one large number has them.
func TestBitsLieAsInOneNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var w BitWriter
		number, at := new(big.Int), uint(0)
		var values []uint64
		var widths []uint
		for range r.IntN(30) {
			v, width := r.Uint64(), uint(r.IntN(65))
			w.Put(v, width)
			if width < 64 {
				v &= 1<<width - 1
			}
			number.Or(number, new(big.Int).Lsh(new(big.Int).SetUint64(v), at))
			values, widths, at = append(values, v), append(widths, width), at+width
		}
		data := w.Bytes()
		if len(data) != int(at+7)/8 {
			t.Fatalf("%d bits in %d bytes", at, len(data))
		}
		want := make([]byte, len(data))
		number.FillBytes(want)
		if slices.Reverse(want); !slices.Equal(data, want) {
			t.Fatalf("bytes %x, want %x", data, want)
		}
		next, slow := &BitReader{Data: data}, &BitReader{Data: data}
		for i, v := range values {
			if a, b := next.Next(widths[i]), slow.Slow(widths[i]); a != v || b != v {
				t.Fatalf("value %d of %d bits is %#x and %#x, want %#x", i, widths[i], a, b, v)
			}
		}
		if next.At != uint64(at) || next.Next(64) > 0xff || next.Next(20) != 0 { // what is left of the last byte is zero, too
			t.Fatalf("%d bits were read of %d", next.At, at)
		}
		w.Reset()
		if w.Put(5, 3); !slices.Equal(w.Bytes(), []byte{5}) {
			t.Fatalf("behind a reset: %x", w.Data)
		}
	}
}

// Scattered bits lie at the positions of a mask, in their order; gathering takes them back.
func TestBitsAreScatteredOverAMask(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		v, mask := r.Uint32(), r.Uint32()&r.Uint32()
		var want, low uint32
		n := 0
		for lane := range 32 {
			if mask>>lane&1 != 0 {
				want |= v >> n & 1 << lane
				low |= v & (1 << n)
				n++
			}
		}
		if got := ScatterBits(v, mask); got != want {
			t.Fatalf("%#x over %#x is %#x, want %#x", v, mask, got, want)
		}
		if got := gatherBits(want, mask); got != low {
			t.Fatalf("of %#x under %#x: %#x, want %#x", want, mask, got, low)
		}
		if got := gatherBits(^want, mask); got != low^(1<<n-1) {
			t.Fatalf("of %#x under %#x: %#x, want %#x", ^want, mask, got, low^(1<<n-1))
		}
	}
}

// A run of zeros is one, and how many more there are.
func TestRunsOfZerosAreCounted(t *testing.T) {
	for _, c := range []struct {
		values []uint64
		bytes  []byte
	}{
		{nil, nil},
		{[]uint64{7, 1}, []byte{7, 1}},
		{[]uint64{0}, []byte{0, 0}},
		{[]uint64{0, 0, 0, 5, 0, 300, 0, 0}, []byte{0, 2, 5, 0, 0, 0xac, 2, 0, 1}},
		{make([]uint64, 200), []byte{0, 199, 1}},
	} {
		var w ZeroRunWriter
		for range 2 { // the second time behind a reset
			w.Reset()
			for _, v := range c.values {
				w.Put(v)
			}
			if got := w.Bytes(); !slices.Equal(got, c.bytes) {
				t.Errorf("%v: % x, want % x", c.values, got, c.bytes)
			}
		}
		r := ZeroRunReader{Reader: Reader{Data: c.bytes}}
		for i, v := range c.values {
			if i > 0 && r.Check() == nil {
				t.Errorf("%v: at its end before value %d", c.values, i)
			}
			if got := r.Next(); got != v {
				t.Errorf("%v: value %d is %d", c.values, i, got)
			}
		}
		if err := r.Check(); err != nil {
			t.Errorf("%v: %v", c.values, err)
		}
		if r.Next() != 0 || !errors.Is(r.Check(), ErrShort) {
			t.Errorf("%v: one more is no error", c.values)
		}
	}
}

// Elements are varints (protobuf encoding, "Base 128 Varints" and "Signed Integers"); a column that ends early fails.
func TestElementsAreVarints(t *testing.T) {
	r := Reader{Data: []byte{0, 0x7f, 0x80, 1, 0x96, 1, 3, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}}
	for _, want := range []uint64{0, 127, 128, 150} {
		if got := r.Uvarint(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	for _, want := range []int64{-2, 2, math.MinInt64} {
		if errors.Is(r.Check(), ErrShort) || r.Check() == nil {
			t.Errorf("in front of %d: %v", want, r.Check())
		}
		if got := r.Svarint(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	if r.Check() != nil {
		t.Error(r.Check())
	}
	for _, data := range [][]byte{nil, {0x80}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		r := Reader{Data: data}
		if r.Uvarint() != 0 || !errors.Is(r.Check(), ErrShort) || r.Uvarint() != 0 {
			t.Errorf("% x: %v", data, r.Check())
		}
	}
}

// Sequences have the numbers of their first use, as in a map of texts, in as many as there are, and after a
// reset.
func TestSequencesHaveTheNumbersOfTheirFirstUse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	var table SequenceTable[uint32]
	for round := range 3 {
		table.Reset()
		numbers := map[string]int{}
		var all [][]uint32
		for use := range 600 {
			s := make([]uint32, r.IntN(4))
			for i := range s {
				s[i] = r.Uint32N(8)
			}
			if use == 0 && round > 0 { // a long one, whose memory the table takes
				s = slices.Repeat([]uint32{9}, 50)
			}
			want, old := numbers[fmt.Sprint(s)]
			if !old {
				want = len(all)
				numbers[fmt.Sprint(s)], all = want, append(all, slices.Clone(s))
			}
			intern := table.Intern
			if use%50 == 0 {
				intern = table.Adopt
			}
			if got, added := intern(s); got != want || added == old || table.Len() != len(all) {
				t.Fatalf("use %d of %v is number %d of %d, added %v; want %d of %d", use, s, got, table.Len(), added, want, len(all))
			}
		}
		for i, s := range all {
			if !slices.Equal(table.At(i), s) {
				t.Fatalf("sequence %d is %v, want %v", i, table.At(i), s)
			}
		}
	}
}

// A long sequence that an empty table takes is not copied.
func TestAnEmptyTableTakesMemory(t *testing.T) {
	var table SequenceTable[uint64]
	s := []uint64{1, 2, 3}
	table.Adopt(s)
	if at := table.At(0); &at[0] != &s[0] {
		t.Error("the sequence was copied")
	}
}

// Masks that were used have the numbers of a list by recency; others follow from the two that were used last
// (Masks in wtape.proto).
func TestMasksFollowFromEarlierOnes(t *testing.T) {
	h := NewMaskHistory()
	for _, c := range []struct{ mask, code, value uint32 }{
		{0xffffffff, MaskSame, 0},
		{0x0000ffff, MaskSubset, 0xffff}, // of all lanes
		{0xffffffff, maskSecond, 0},
		{0xffff0000, MaskSubset, 0xffff0000},
		{0x0000ffff, maskThird, 0},
		{0xfff0ffff, maskAny, 0xfff0ffff}, // has other lanes than the last
		{0xfff0fff7, maskWithoutOne, 3},
		{0x00000001, maskOnlyOne, 0},
		{0xffff0000, maskAny, 0xffff0000}, // the fifth is forgotten
		{0xfff0fff7, maskThird, 0},
		{0x80000000, maskOnlyOne, 26}, // the highest of 27
		{0x7ff0fff7, maskSecondWithoutFirst, 0},
		{0xffff0000, maskFourth, 0},
		{0x00070000, MaskSubset, 7},
	} {
		code, value := h.Code(c.mask)
		if code != int(c.code) || value != c.value {
			t.Errorf("mask %#x has code %d, %#x; want %d, %#x", c.mask, code, value, c.code, c.value)
		}
		if code != MaskSame {
			if mask, ok := h.Decode(uint64(code), &Reader{Data: varint(value)}); !ok || mask != c.mask {
				t.Errorf("code %d, %#x is mask %#x, %v; want %#x", code, value, mask, ok, c.mask)
			}
		}
		h.Use(c.mask)
	}
	for _, c := range []struct{ code, value uint64 }{{maskWithoutOne, 3}, {maskOnlyOne, 3}, {maskAny, 1 << 32}, {maskOnlyOne + 1, 0}} {
		if mask, ok := h.Decode(c.code, &Reader{Data: varint(uint32(c.value), c.value>>32 != 0)}); ok {
			t.Errorf("code %d, %d gives mask %#x", c.code, c.value, mask)
		}
	}
}

// varint is the encoding of a number; one more bit makes it 1<<32.
func varint(v uint32, more ...bool) []byte {
	if len(more) > 0 && more[0] {
		return []byte{0x80, 0x80, 0x80, 0x80, 0x10}
	}
	var out []byte
	for ; v >= 0x80; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v))
}

// Guards are all lanes, none, those of the guard before, the others, or some (Guards in wtape.proto).
func TestGuardsFollowFromTheOneBefore(t *testing.T) {
	for _, c := range []struct{ guard, active, before, code, value uint32 }{
		{0xff, 0xff, 0xff, GuardAll, 0}, {0, 0xff, 0, GuardNone, 0}, {0x0f, 0xff, 0xff0f, GuardAsBefore, 0},
		{0xf0, 0xff, 0xff0f, GuardNotAsBefore, 0}, {0xf000, 0xff00, 0xff, GuardSubset, 0xf0}, {0, 0, 5, GuardAll, 0},
	} {
		if code, value := GuardCode(c.guard, c.active, c.before); code != int(c.code) || value != c.value {
			t.Errorf("guard %#x of %#x behind %#x has code %d, %#x; want %d, %#x", c.guard, c.active, c.before, code, value, c.code, c.value)
		}
	}
}

// Bases follow those of the warp before, and of the thread block before (AccessStream in wtape.proto).
func TestBasesArePredictedByWarpsAndBlocks(t *testing.T) {
	var p BasePredictor
	p.Reset()
	for n, c := range []struct {
		block, warp     int
		predicted, base uint64
	}{
		{0, 0, 0, 1000},
		{0, 0, 1000, 1004}, // as the last
		{0, 0, 1008, 1020}, // as far as the step before
		{0, 1, 1000, 1100}, // as the warp before; no step is known
		{0, 1, 1104, 1110}, // by the step of the warp before
		{0, 1, 1126, 1200},
		{0, 1, 1290, 1300}, // the warp before has had no more: by the own step
		{0, 2, 1200, 1250}, // by the step between warps
		{1, 3, 1000, 5000}, // as the first of the block before; no step is known
		{1, 4, 5150, 5200}, // by the step between warps of the block before
		{2, 5, 9000, 9007}, // by the step between blocks
		{3, 6, 13014, 1},
	} {
		if got := p.Predict(c.block, c.warp); got != c.predicted {
			t.Errorf("base %d: %d is predicted, want %d", n, got, c.predicted)
		}
		p.Update(c.block, c.warp, c.base)
	}
	if p.Reset(); p.Predict(0, 0) != 0 {
		t.Errorf("behind a reset: %d", p.Predict(0, 0))
	}
}

// Slices keep their elements and have the room that was asked for, in their memory where that suffices.
func TestSlicesGrow(t *testing.T) {
	s := append(make([]int, 0, 8), 1, 2, 3)
	if d := Doubled(s, 5); len(d) != 3 || &d[0] != &s[0] {
		t.Error("room for five more is made anew")
	}
	if d := Doubled(s, 6); !slices.Equal(d, s) || cap(d) != 9 || &d[0] == &s[0] {
		t.Errorf("room for six more: %v of %d", d, cap(d))
	}
	if d := Doubled(s[:2:2], 1); cap(d) != 4 {
		t.Errorf("twice two is %d", cap(d))
	}
	if d := Sized(s, 8); len(d) != 8 || &d[0] != &s[0] {
		t.Error("eight elements are made anew")
	}
	if d := Sized(s, 9); len(d) != 9 || cap(d) != 10 {
		t.Errorf("nine elements are %d of %d", len(d), cap(d))
	}
	if d := Zeroed(s, 3); !slices.Equal(d, make([]int, 3)) || &d[0] != &s[0] {
		t.Errorf("three zeros are %v", d)
	}
}
