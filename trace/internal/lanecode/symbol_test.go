// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/internal/columns"
)

// symbolCase is a column lane_symbols and what it was made of.
type symbolCase struct {
	runs      []Run
	codes     []uint64
	contexts  []uint8
	context   int
	openCoded bool
	column    []byte
	open      []byte
	entropy   float64 // bits, of classes in their contexts and of open bits as they are stored
}

// newSymbolCase makes codes of two sizes; a lane keeps to one of them for a while.
func newSymbolCase(seed uint64, runs, context int, openCoded bool) *symbolCase {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := &symbolCase{context: context, openCoded: openCoded}
	var large [WarpLanes]bool
	for range runs {
		mask := rng.Uint32() | 1
		if rng.IntN(2) == 0 {
			mask = AllWarpLanes
		}
		x.runs = append(x.runs, Run{Mask: mask})
		for m := mask; m != 0; m &= m - 1 {
			l := Lane(m)
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
			x.contexts = append(x.contexts, uint8(rng.IntN(ContextCount[context])))
		}
	}
	x.encode()
	return x
}

func (x *symbolCase) encode() {
	z := Encoder{Codes: x.codes}
	for _, code := range x.codes {
		z.Classes = append(z.Classes, classOf(code))
	}
	w := &z.Symbols
	if x.context == ContextSameLane {
		w.SameLane(x.runs, z.Classes)
	} else {
		w.Contexts = append(w.Contexts, x.contexts...)
	}
	_, x.entropy = w.CountContexts(x.context, z.Classes, MaxClass+1)
	if x.openCoded {
		_, open := w.CountNibbles(z.Codes, z.Classes, MaxClass+1)
		x.entropy += open
	}
	x.column = w.Append(nil, x.runs, z.Codes, z.Classes, x.context, x.openCoded)
	if !x.openCoded {
		x.open = z.OpenBits()
	}
}

// decode takes all codes out of the column and says where they first differ, -1 for
// nowhere.
func (x *symbolCase) decode(r *SymbolReader, tables *SymbolTables) (int, error) {
	tables.Reset()
	if err := r.Start(x.column, x.context, x.openCoded, MaxChunkLaneSets*WarpLanes, tables); err != nil {
		return 0, err
	}
	open := columns.BitReader{Data: x.open}
	at, differs := 0, -1
	for _, run := range x.runs {
		var contexts [WarpLanes]uint8
		i := at
		for m := run.Mask; m != 0; m &= m - 1 {
			contexts[Lane(m)] = x.contexts[i]
			i++
		}
		var codes [WarpLanes]uint64
		r.Take(run.Mask, &open, &contexts, &codes)
		for m := run.Mask; m != 0; m &= m - 1 {
			if differs < 0 && codes[Lane(m)] != x.codes[at] {
				differs = at
			}
			at++
		}
	}
	return differs, r.Check()
}

func TestSymbolsComeBackAndCostTheirEntropy(t *testing.T) {
	for context := range ContextEnd {
		for _, openCoded := range []bool{false, true} {
			if context == ContextNone && !openCoded {
				continue // those are lane_coded
			}
			x := newSymbolCase(uint64(context), 2000, context, openCoded)
			var r SymbolReader
			var tables SymbolTables
			if at, err := x.decode(&r, &tables); err != nil || at >= 0 {
				t.Errorf("context %d, open bits coded %v: code %d differs, %v", context, openCoded, at, err)
			}
			if have := 8 * float64(len(x.column)); have > 1.02*x.entropy+400 {
				t.Errorf("context %d, open bits coded %v: %.0f bits, the entropy is %.0f", context, openCoded, have, x.entropy)
			}
		}
	}
}

// Contexts of the same lane are for a lane that keeps to one size of codes. Coding open
// bits is for bits that are mostly zero: here seven of eight.
func TestContextsAndCodedOpenBitsSaveWhatTheyShould(t *testing.T) {
	plain := newSymbolCase(5, 2000, ContextSameLane, false)
	coded := newSymbolCase(5, 2000, ContextSameLane, true)
	if a, b := len(plain.column)+len(plain.open), len(coded.column); 10*b > 8*a {
		t.Errorf("%d bytes with open bits as they are, %d with coded ones", a, b)
	}
	without := newSymbolCase(5, 2000, ContextNone, true)
	if 100*len(coded.column) > 93*len(without.column) {
		t.Errorf("%d bytes without contexts, %d with them", len(without.column), len(coded.column))
	}
}

func TestDamagedSymbolsAreNoticed(t *testing.T) {
	x := newSymbolCase(9, 40, ContextSameLane, true)
	whole := x.column
	var r SymbolReader
	var tables SymbolTables
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

// A lane whose context has no table, and open bits at a place without one, are damage: they leave all states as they are,
// so that nothing else tells.
func TestSymbolsWithoutATableAreNoticed(t *testing.T) {
	for _, openCoded := range []bool{false, true} {
		x := &symbolCase{context: ContextKey, openCoded: openCoded}
		for range 8 {
			x.runs = append(x.runs, Run{Mask: AllWarpLanes})
			for range WarpLanes {
				x.codes, x.contexts = append(x.codes, 5), append(x.contexts, 3)
			}
		}
		x.encode()
		var r SymbolReader
		var tables SymbolTables
		if at, err := x.decode(&r, &tables); at >= 0 || err != nil {
			t.Fatalf("code %d differs, %v", at, err)
		}
		for i := range x.contexts {
			x.contexts[i] = 4
		}
		if _, err := x.decode(&r, &tables); err == nil {
			t.Errorf("open bits coded %v: a context without a table passes", openCoded)
		}
	}
	x := &symbolCase{context: ContextNone, openCoded: true, runs: []Run{{Mask: 1}}, codes: []uint64{16}, contexts: []uint8{0}}
	x.encode() // the class and one table of open bits, those of two at once; now without it
	without := Encoder{Codes: x.codes, Classes: []byte{classOf(16)}}
	without.Symbols.Contexts = []uint8{0}
	without.Symbols.CountContexts(x.context, without.Classes, MaxClass+1)
	x.column = without.Symbols.Append(nil, x.runs, x.codes, without.Classes, x.context, false)
	states := len(x.column) - 4*entropyWays
	x.column = append(append(x.column[:states:states], 0), x.column[states:]...) // no tables of open bits
	var r SymbolReader
	var tables SymbolTables
	if _, err := x.decode(&r, &tables); err == nil {
		t.Error("open bits without a table pass")
	}
}

// The context of a lane is that of the class which the same lane had last, whatever lanes took part since.
func TestContextsAreThoseOfTheSameLane(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for range 50 {
		var runs []Run
		var classes, want []uint8
		var last [WarpLanes]uint8
		for range 12 {
			mask := []uint32{AllWarpLanes, 1<<(1+rng.IntN(31)) - 1, rng.Uint32() | 1<<rng.IntN(32)}[rng.IntN(3)]
			runs = append(runs, Run{Mask: mask})
			for m := mask; m != 0; m &= m - 1 {
				class := uint8(rng.IntN(MaxClass + 1))
				classes, want = append(classes, class), append(want, last[Lane(m)])
				last[Lane(m)] = contextOfClass[class]
			}
		}
		var w symbolWriter
		if w.SameLane(runs, classes); !bytes.Equal(w.Contexts, want) {
			t.Fatalf("contexts %v, want %v", w.Contexts, want)
		}
	}
}

// There are as many tables as contexts that occur, and places of open bits in their widths.
func TestTablesAreThoseOfWhatOccurs(t *testing.T) {
	z := Encoder{Codes: []uint64{3, 3, 9, 1 << 8}} // classes without, with 1 and with 6 open bits: those are 4 and 2
	for _, code := range z.Codes {
		z.Classes = append(z.Classes, classOf(code))
		z.Counted.Add(1, &[WarpLanes]uint64{code})
	}
	z.Symbols.Contexts = []uint8{7, 7, 0, 31}
	if tables, bits := z.Symbols.CountContexts(ContextKey, z.Classes, MaxClass+1); tables != 3 || bits != 0+3*2*TableBits+29*TableBits {
		t.Errorf("%d tables of classes, %g bits", tables, bits)
	}
	if tables, _ := z.Symbols.CountNibbles(z.Codes, z.Classes, MaxClass+1); tables != 3 {
		t.Errorf("%d tables of open bits", tables)
	}
	if open := z.CountOpen(); open != 0+0+1+6 {
		t.Errorf("%g open bits, want 7", open)
	}
}

// A writer that was used for other columns writes the bytes that a new one does.
func TestAUsedWriterWritesWhatANewOneDoes(t *testing.T) {
	var used symbolWriter
	for seed := range uint64(6) {
		x := newSymbolCase(seed, 5+int(seed*29%60), ContextSameLane, seed%3 != 0)
		var classes []byte
		for _, code := range x.codes {
			classes = append(classes, classOf(code))
		}
		used.SameLane(x.runs, classes)
		used.CountContexts(x.context, classes, MaxClass+1)
		if x.openCoded {
			used.CountNibbles(x.codes, classes, MaxClass+1)
		}
		if got := used.Append(nil, x.runs, x.codes, classes, x.context, x.openCoded); !bytes.Equal(got, x.column) {
			t.Errorf("column %d: %d bytes, by a new writer %d", seed, len(got), len(x.column))
		}
	}
}

func TestTablesOfSymbolsAreLimitedForAChunk(t *testing.T) {
	x := newSymbolCase(3, 2000, ContextKey, false)
	var tables SymbolTables
	tables.Reset()
	var err error
	for range 1 + MaxClassTables/maxContexts {
		var r SymbolReader
		if err = r.Start(x.column, x.context, x.openCoded, MaxChunkLaneSets*WarpLanes, &tables); err != nil {
			break
		}
	}
	if err == nil || len(tables.classes) > (1+MaxClassTables)*entropyTotal {
		t.Errorf("%d entries, %v", len(tables.classes), err)
	}
	for range 3 * MaxClassTables / maxContexts { // each in a chunk of its own
		var r SymbolReader
		tables.Reset()
		if err := r.Start(x.column, x.context, x.openCoded, MaxChunkLaneSets*WarpLanes, &tables); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzSymbolReader(f *testing.F) {
	for context := range ContextEnd {
		f.Add(newSymbolCase(1, 8, context, true).column, uint8(context), true)
		f.Add(newSymbolCase(2, 8, context, false).column, uint8(context), false)
	}
	f.Fuzz(func(t *testing.T, column []byte, context uint8, openCoded bool) {
		var r SymbolReader
		var tables SymbolTables
		tables.Reset()
		if r.Start(column, int(context%ContextEnd), openCoded, MaxChunkLaneSets*WarpLanes, &tables) != nil {
			return
		}
		open := columns.BitReader{Data: column}
		var contexts [WarpLanes]uint8
		var codes [WarpLanes]uint64
		for range 100 {
			mask := AllWarpLanes >> max(0, WarpLanes-r.Left)
			if mask == 0 {
				break
			}
			contexts[3] = uint8(bits.OnesCount32(mask))
			r.Take(mask, &open, &contexts, &codes)
		}
		r.Check()
	})
}

// Lanes with a column of their own keep their low bits, and a decoder's model keeps in
// step with the encoder's.
func TestSteppedUnitsInvertCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, kind := range []int{ModelSameLane, ModelSameLaneMean} {
		for _, step := range []uint{1, 6, 63} {
			var encoder, decoder Model
			encoder.Start(kind, 1<<12, nil, 0, step)
			decoder.Start(kind, 1<<12, nil, 0, step)
			for warp := range 40 {
				var low [WarpLanes]uint64
				for l := range low {
					low[l] = rng.Uint64() & (1<<step - 1)
				}
				for range 1 + rng.IntN(8) {
					mask := rng.Uint32() | 1<<rng.IntN(32)
					if rng.IntN(3) == 0 {
						mask = AllWarpLanes
					}
					var units [WarpLanes]uint64
					for l := range units {
						units[l] = rng.Uint64()>>rng.IntN(64)<<step | low[l]
					}
					got := units
					encoder.Codes(warp, mask, &got)
					decoder.Units(warp, mask, &got)
					for m := mask; m != 0; m &= m - 1 {
						if l := Lane(m); got[l] != units[l] {
							t.Fatalf("model %d, step %d: lane %d has units %d, want %d", kind, step, l, got[l], units[l])
						}
					}
				}
			}
		}
	}
}

func TestLaneStepIsTheLargestThatLosesNothing(t *testing.T) {
	var runs []Run
	var units []uint64
	for warp := range 3 {
		for visit := range 4 {
			runs = append(runs, Run{Warp: int32(warp), Mask: AllWarpLanes})
			for l := range WarpLanes {
				units = append(units, uint64(l+100*warp)+uint64(visit*visit*l)<<5)
			}
		}
	}
	if got := Step(runs, units); got != 5 {
		t.Errorf("step %d, want 5", got)
	}
	units[len(units)-1]++
	if got := Step(runs, units); got != 0 {
		t.Errorf("step %d, want 0", got)
	}
	if got := Step(runs[:1], units); got != 0 {
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
			x := newSymbolCase(1, 2000, ContextSameLane, openCoded)
			var r SymbolReader
			var tables SymbolTables
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
