// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A short column, and one without repetition, cost their entropy; of one that repeats itself the first period does, and
// the rest is one match of 22 bits.
func TestColumnsCostTheirEntropyOrTheirPeriod(t *testing.T) {
	var z Encoder
	for symbols := 1; symbols <= 64; symbols *= 2 { // equally often: log2 of them each
		var data []byte
		for i := range 64 {
			data = append(data, byte(i%symbols))
		}
		if got, want := z.ColumnBits(data), 64*math.Log2(float64(symbols)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d symbols: %g bits, want %g", symbols, got, want)
		}
	}
	if got := z.ColumnBits(nil); got != 0 {
		t.Errorf("nothing costs %g bits", got)
	}
	period := make([]byte, 128)
	for i, v := range rand.New(rand.NewPCG(29, 1)).Perm(len(period)) {
		period[i] = byte(v)
	}
	if got := z.ColumnBits(append([]byte{200}, period...)); math.Abs(got-129*math.Log2(129)) > 1e-9 {
		t.Errorf("129 symbols once: %g bits, want %g", got, 129*math.Log2(129))
	}
	var data []byte
	for range 16 {
		data = append(data, period...)
	}
	if got := z.ColumnBits(data); got != 128*7+22 {
		t.Errorf("16 periods of 128 symbols: %g bits, want %d", got, 128*7+22)
	}
}

// Classes cost their entropy; so does each sample of long ones that has no patterns, and patterns that do not begin in the
// sample are not looked for.
func TestClassesCostTheirEntropyOrTheirPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 2))
	classes := make([]byte, 5*PackingSample)
	for i := range classes {
		classes[i] = byte(r.IntN(4)) // codes that are their own class: two bits, none of them open
	}
	pattern := func(from int) *Encoder {
		z := &Encoder{Classes: classes}
		for i := range classes {
			if i >= from+64 {
				classes[i] = classes[i-64]
			}
		}
		for _, class := range classes {
			z.Counted.Add(1, &[WarpLanes]uint64{uint64(class)})
		}
		return z
	}
	late := pattern(2 * PackingSample)
	bits := late.ClassBits()
	if got := late.PatternBits(bits); got != bits || late.CountOpen() != 0 {
		t.Errorf("%g bits, %g by patterns that begin late, %g open", bits, got, late.CountOpen())
	}
	if early := pattern(0); early.PatternBits(bits) > 64*2+22+16 {
		t.Errorf("%g bits for one period of 64 classes and a match", early.PatternBits(bits))
	}
}
