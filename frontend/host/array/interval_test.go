// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"runtime"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/warptape/warptape/frontend/host/pcg"
)

// counting makes 0, step, 2*step, ... as array.arange does.
func counting(t *testing.T, s *Space, typ Type, count, start, step int) *Array {
	t.Helper()
	thread := new(starlark.Thread)
	s.Attach(thread)
	v, err := arange(thread, starlark.NewBuiltin("arange", arange), starlark.Tuple{typ, starlark.MakeInt(count), starlark.MakeInt(start), starlark.MakeInt(step)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*Array)
}

// with is an array and a number with an operation between them.
func with(t *testing.T, a *Array, token syntax.Token, number int) *Array {
	t.Helper()
	v, err := a.Binary(token, starlark.MakeInt(number), starlark.Left)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*Array)
}

func taken(t *testing.T, a, at *Array) *Array {
	t.Helper()
	v, err := a.take(starlark.Tuple{at}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*Array)
}

func TestWhatIsTakenAtKnownPositionsWaits(t *testing.T) {
	s := NewSpace(1 << 32)
	table := counting(t, s, F64, 100, 7, 1)
	at := with(t, with(t, counting(t, s, I64, deferFrom, -3, 1), syntax.PERCENT, 10), syntax.STAR, 11) // 0 ... 99
	got := taken(t, table, at)
	if got.waiting == nil || got.waiting.result != nil {
		t.Error("what is taken at positions that are known to be inside does not wait")
	}
	if err := table.SetKey(starlark.MakeInt(0), starlark.MakeInt(-1)); err != nil {
		t.Fatal(err)
	}
	for i := range deferFrom {
		if want := float64(7 + (i+7)%10*11); got.Float(i) != want {
			t.Fatalf("element %d is %v, want %v: as the table was when it was taken", i, got.Float(i), want)
		}
	}
	for name, at := range map[string]*Array{
		"beyond the end": with(t, with(t, counting(t, s, I64, deferFrom, 0, 1), syntax.PERCENT, 10), syntax.STAR, 12),
		"before":         with(t, with(t, counting(t, s, I64, deferFrom, 0, 1), syntax.PERCENT, 10), syntax.MINUS, 1),
	} {
		if _, err := table.take(starlark.Tuple{at}, nil); err == nil {
			t.Errorf("%s: positions outside are taken without an error", name)
		}
	}
}

// TestHistogramsOfKnownPositionsKeepNoList counts bytes whose upper bits are known to be bins.
func TestHistogramsOfKnownPositionsKeepNoList(t *testing.T) {
	s := NewSpace(1 << 32)
	bins, bytes := counting(t, s, U32, 64, 0, 0), with(t, counting(t, s, U8, 1<<20, 0, 1), syntax.GTGT, 2)
	bytes.values()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := bins.addAt(starlark.Tuple{bytes, starlark.MakeInt(1)}, nil); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("a count of 2^20 bytes takes %d bytes", taken)
	}
	for i := range 64 {
		if got := bins.Int(i); got != 1<<14 {
			t.Errorf("bin %d has %d, want %d", i, got, 1<<14)
		}
	}
}

// TestIntervalsEndWhereNumbersWrapAround has sums and products that no type holds.
func TestIntervalsEndWhereNumbersWrapAround(t *testing.T) {
	s := NewSpace(1 << 32)
	for name, a := range map[string]*Array{
		"sum of u8":        with(t, counting(t, s, U8, deferFrom, 0, 1), syntax.PLUS, 1),
		"difference of u8": with(t, counting(t, s, U8, deferFrom, 0, 1), syntax.MINUS, 1),
		"product of i16":   with(t, counting(t, s, I16, deferFrom, 0, 1), syntax.STAR, 20),
		"count of i8":      counting(t, s, I8, deferFrom, 0, 1),
		"long count":       with(t, counting(t, s, I64, deferFrom, math.MaxInt64-5, 1), syntax.PLUS, 3),
		"wide steps":       counting(t, s, I64, deferFrom, 0, math.MaxInt64/2),
	} {
		x := a.interval()
		for i := range a.Len() {
			if v := a.Int(i); x.known && (v < x.low || v > x.high) {
				t.Fatalf("%s: element %d is %d and must lie in %d ... %d", name, i, v, x.low, x.high)
			}
		}
	}
}

func TestAChangedArrayHasNoIntervalOfItsOwn(t *testing.T) {
	a, err := New(NewSpace(1<<32), I32, deferFrom)
	if err != nil {
		t.Fatal(err)
	}
	a.DrawInts(pcg.New(1, 2), -5, 10)
	if x := a.interval(); x != between(-5, 4) {
		t.Fatalf("numbers drawn from -5 ... 4 lie in %+v", x)
	}
	if err := a.SetKey(starlark.MakeInt(3), starlark.MakeInt(1000)); err != nil {
		t.Fatal(err)
	}
	if x := a.interval(); x != intervalOf(I32) {
		t.Errorf("after a change elements lie in %+v; it knows all i32 alone", x)
	}
}
