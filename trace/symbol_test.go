package trace

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// symbolCase is a column lane_symbols and what it was made of.
type symbolCase struct {
	runs      []laneRun
	codes     []uint64
	contexts  []uint8
	context   int
	openCoded bool
	column    []byte
	open      []byte
	entropy   float64 // bits, of classes in their contexts and of open bits as they are stored
}

// newSymbolCase makes codes of two sizes, of which a lane keeps to one for a while.
func newSymbolCase(seed uint64, runs, context int, openCoded bool) *symbolCase {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := &symbolCase{context: context, openCoded: openCoded}
	var large [warpLanes]bool
	for range runs {
		mask := rng.Uint32() | 1
		if rng.IntN(2) == 0 {
			mask = allWarpLanes
		}
		x.runs = append(x.runs, laneRun{mask: mask})
		for m := mask; m != 0; m &= m - 1 {
			l := lane(m)
			if rng.IntN(20) == 0 {
				large[l] = !large[l]
			}
			code := rng.Uint64N(3)
			if large[l] {
				code = 1<<20 | uint64(rng.Uint32()&rng.Uint32()&rng.Uint32()>>12)
			}
			if rng.IntN(1000) == 0 {
				code = rng.Uint64()
			}
			x.codes = append(x.codes, code)
			x.contexts = append(x.contexts, uint8(rng.IntN(contextCount[context])))
		}
	}
	x.encode()
	return x
}

func (x *symbolCase) encode() {
	z := laneEncoder{codes: x.codes}
	for _, code := range x.codes {
		z.classes = append(z.classes, classOf(code))
	}
	w := &z.symbols
	if x.context == contextSameLane {
		w.sameLane(x.runs, z.classes)
	} else {
		w.contexts = append(w.contexts, x.contexts...)
	}
	_, x.entropy = w.countContexts(x.context, z.classes, maxLaneClass+1)
	if x.openCoded {
		_, open := w.countNibbles(z.codes, z.classes, maxLaneClass+1)
		x.entropy += open
	}
	x.column = w.append(nil, x.runs, z.codes, z.classes, x.context, x.openCoded)
	if !x.openCoded {
		x.open = z.openBits()
	}
}

// decode takes all codes out of the column and says where they first differ, -1 for
// nowhere.
func (x *symbolCase) decode(r *symbolReader, tables *symbolTables) (int, error) {
	tables.reset()
	if err := r.start(x.column, x.context, x.openCoded, tables); err != nil {
		return 0, err
	}
	open := bitReader{data: x.open}
	at, differs := 0, -1
	for _, run := range x.runs {
		var contexts [warpLanes]uint8
		i := at
		for m := run.mask; m != 0; m &= m - 1 {
			contexts[lane(m)] = x.contexts[i]
			i++
		}
		var codes [warpLanes]uint64
		r.take(run.mask, &open, &contexts, &codes)
		for m := run.mask; m != 0; m &= m - 1 {
			if differs < 0 && codes[lane(m)] != x.codes[at] {
				differs = at
			}
			at++
		}
	}
	return differs, r.check()
}

func TestSymbolsComeBackAndCostTheirEntropy(t *testing.T) {
	for context := range contextEnd {
		for _, openCoded := range []bool{false, true} {
			if context == contextNone && !openCoded {
				continue // those are lane_coded
			}
			x := newSymbolCase(uint64(context), 2000, context, openCoded)
			var r symbolReader
			var tables symbolTables
			if at, err := x.decode(&r, &tables); err != nil || at >= 0 {
				t.Errorf("context %d, open bits coded %v: code %d differs, %v", context, openCoded, at, err)
			}
			if have := 8 * float64(len(x.column)); have > 1.02*x.entropy+400 {
				t.Errorf("context %d, open bits coded %v: %.0f bits, the entropy is %.0f", context, openCoded, have, x.entropy)
			}
		}
	}
}

// A lane that keeps to one size of codes is what contexts of the same lane are for, and
// open bits of which seven of eight are zero what coding them is for.
func TestContextsAndCodedOpenBitsSaveWhatTheyShould(t *testing.T) {
	plain := newSymbolCase(5, 2000, contextSameLane, false)
	coded := newSymbolCase(5, 2000, contextSameLane, true)
	if a, b := len(plain.column)+len(plain.open), len(coded.column); 10*b > 8*a {
		t.Errorf("%d bytes with open bits as they are, %d with coded ones", a, b)
	}
	without := newSymbolCase(5, 2000, contextNone, true)
	if 100*len(coded.column) > 93*len(without.column) {
		t.Errorf("%d bytes without contexts, %d with them", len(without.column), len(coded.column))
	}
}

func TestDamagedSymbolsAreNoticed(t *testing.T) {
	x := newSymbolCase(9, 40, contextSameLane, true)
	whole := x.column
	var r symbolReader
	var tables symbolTables
	for cut := range whole {
		x.column = whole[:cut]
		if _, err := x.decode(&r, &tables); err == nil {
			t.Errorf("%d of %d bytes pass for a whole column", cut, len(whole))
		}
	}
	x.column = append(append([]byte(nil), whole...), 0, 0)
	if _, err := x.decode(&r, &tables); err == nil {
		t.Error("two more bytes were not noticed")
	}
}

func TestTablesOfSymbolsAreLimitedForAChunk(t *testing.T) {
	x := newSymbolCase(3, 2000, contextKey, false)
	var tables symbolTables
	tables.reset()
	var err error
	for range 1 + maxClassTables/maxContexts {
		var r symbolReader
		if err = r.start(x.column, x.context, x.openCoded, &tables); err != nil {
			break
		}
	}
	if err == nil || len(tables.classes) > (1+maxClassTables)*entropyTotal {
		t.Errorf("%d entries, %v", len(tables.classes), err)
	}
}

func FuzzSymbolReader(f *testing.F) {
	for context := range contextEnd {
		f.Add(newSymbolCase(1, 8, context, true).column, uint8(context), true)
		f.Add(newSymbolCase(2, 8, context, false).column, uint8(context), false)
	}
	f.Fuzz(func(t *testing.T, column []byte, context uint8, openCoded bool) {
		var r symbolReader
		var tables symbolTables
		tables.reset()
		if r.start(column, int(context%contextEnd), openCoded, &tables) != nil {
			return
		}
		open := bitReader{data: column}
		var contexts [warpLanes]uint8
		var codes [warpLanes]uint64
		for range 100 {
			mask := allWarpLanes >> max(0, warpLanes-r.left)
			if mask == 0 {
				break
			}
			contexts[3] = uint8(bits.OnesCount32(mask))
			r.take(mask, &open, &contexts, &codes)
		}
		r.check()
	})
}

// Lanes with a column of their own keep their low bits, and a decoder's model keeps in
// step with the encoder's.
func TestSteppedUnitsInvertCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, kind := range []int{modelSameLane, modelSameLaneMean} {
		for _, step := range []uint{1, 6, 63} {
			var encoder, decoder laneModel
			encoder.start(kind, 1<<12, nil, 0, step)
			decoder.start(kind, 1<<12, nil, 0, step)
			for warp := range 40 {
				var low [warpLanes]uint64
				for l := range low {
					low[l] = rng.Uint64() & (1<<step - 1)
				}
				for range 1 + rng.IntN(8) {
					mask := rng.Uint32() | 1<<rng.IntN(32)
					if rng.IntN(3) == 0 {
						mask = allWarpLanes
					}
					var units [warpLanes]uint64
					for l := range units {
						units[l] = rng.Uint64()>>rng.IntN(64)<<step | low[l]
					}
					got := units
					encoder.codes(warp, mask, &got)
					decoder.units(warp, mask, &got)
					for m := mask; m != 0; m &= m - 1 {
						if l := lane(m); got[l] != units[l] {
							t.Fatalf("model %d, step %d: lane %d has units %d, want %d", kind, step, l, got[l], units[l])
						}
					}
				}
			}
		}
	}
}

func TestLaneStepIsTheLargestThatLosesNothing(t *testing.T) {
	var runs []laneRun
	var units []uint64
	for warp := range 3 {
		for visit := range 4 {
			runs = append(runs, laneRun{warp: int32(warp), mask: allWarpLanes})
			for l := range warpLanes {
				units = append(units, uint64(l+100*warp)+uint64(visit*visit*l)<<5)
			}
		}
	}
	if got := laneStep(runs, units); got != 5 {
		t.Errorf("step %d, want 5", got)
	}
	units[len(units)-1]++
	if got := laneStep(runs, units); got != 0 {
		t.Errorf("step %d, want 0", got)
	}
	if got := laneStep(runs[:1], units); got != 0 {
		t.Errorf("step %d of one execution, want 0", got)
	}
}

// BenchmarkSymbolReader isolates decoding of classes by context, with open bits coded
// and not.
func BenchmarkSymbolReader(b *testing.B) {
	for _, openCoded := range []bool{false, true} {
		name := "open bits as they are"
		if openCoded {
			name = "open bits coded"
		}
		b.Run(name, func(b *testing.B) {
			x := newSymbolCase(1, 2000, contextSameLane, openCoded)
			var r symbolReader
			var tables symbolTables
			b.ReportAllocs()
			for b.Loop() {
				if at, err := x.decode(&r, &tables); err != nil || at >= 0 {
					b.Fatal(at, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x.codes)), "ns/lane")
		})
	}
}

// TestQuotientsByReciprocalAreThoseOfDivision covers all frequencies, with the states
// at which a quotient changes.
func TestQuotientsByReciprocalAreThoseOfDivision(t *testing.T) {
	for _, scale := range []uint{entropyBits, nibbleScale} {
		for f := uint32(1); f <= 1<<scale; f++ {
			c := newSymbolCoder(f, 7, scale)
			states := []uint32{entropyLow, entropyLow + 1, c.most, c.most - 1, c.most / f * f, c.most/f*f - 1, c.most/f/2*f + f - 1, c.most / f / 2 * f, entropyLow/f*f + f}
			for _, s := range states {
				if s < entropyLow || s > c.most {
					continue
				}
				if got, want := c.next(s), s/f<<scale+s%f+7; got != want {
					t.Fatalf("frequency %d, state %#x: got %#x, want %#x", f, s, got, want)
				}
			}
		}
	}
}
