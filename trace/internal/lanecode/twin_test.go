// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// slowSymbol is what the reader takes from a state at a time.
type slowSymbol struct{ frequency, start, scale, state uint32 }

// slowWords lists all symbols in the order in which they are decoded and codes them, the
// last first, as the coder is defined: by division. The frequencies are those of w.
func slowWords(w *symbolWriter, runs []Run, codes []uint64, classes []byte, openCoded bool) (out []byte) {
	sum := func(frequencies []uint32) (s uint32) {
		for _, f := range frequencies {
			s += f
		}
		return s
	}
	var symbols []slowSymbol
	i := 0
	for r := range runs {
		for m := runs[r].Mask; m != 0; m &= m - 1 {
			state, class := uint32(Lane(m)%entropyWays), classes[i]
			table := w.Classes[w.Contexts[i]][:]
			symbols = append(symbols, slowSymbol{table[class], sum(table[:class]), entropyBits, state})
			if open := uint(Classes[class].Open); openCoded {
				for place := uint(0); place < open; place += nibbleBits {
					width := min(nibbleBits, open-place)
					t := place + width - 1
					value := codes[i] >> place & (1<<width - 1)
					symbols = append(symbols, slowSymbol{w.nibbles[t][value], sum(w.nibbles[t][:value]), nibbleScale, state})
				}
			}
			i++
		}
	}
	states := [entropyWays]uint32{entropyLow, entropyLow, entropyLow, entropyLow}
	var words []uint16
	for i := len(symbols) - 1; i >= 0; i-- {
		s := symbols[i]
		state := states[s.state]
		if uint64(state) >= uint64(s.frequency)<<(32-s.scale) {
			words = append(words, uint16(state))
			state >>= 16
		}
		states[s.state] = state/s.frequency<<s.scale + state%s.frequency + s.start
	}
	for _, state := range states {
		out = binary.LittleEndian.AppendUint32(out, state)
	}
	for i := len(words) - 1; i >= 0; i-- {
		out = binary.LittleEndian.AppendUint16(out, words[i])
	}
	return out
}

func TestSymbolsAreCodedAsByDivision(t *testing.T) {
	for seed := range uint64(12) {
		x := newSymbolCase(seed, 1+int(seed)*30, int(seed)%ContextEnd, seed%2 == 0)
		w := new(symbolWriter)
		var classes []byte
		for _, code := range x.codes {
			classes = append(classes, classOf(code))
		}
		if x.context == ContextSameLane {
			w.SameLane(x.runs, classes)
		} else {
			w.Contexts = append(w.Contexts, x.contexts...)
		}
		w.CountContexts(x.context, classes, MaxClass+1)
		w.CountNibbles(x.codes, classes, MaxClass+1)
		column := w.Append(nil, x.runs, x.codes, classes, x.context, x.openCoded)
		if !bytes.HasSuffix(column, slowWords(w, x.runs, x.codes, classes, x.openCoded)) {
			t.Errorf("seed %d: the words differ", seed)
		}
	}
}

func TestClassesAreCodedAsByDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 5, entropyLong - 1, entropyLong, entropyLong + 1, entropyLong + 3, 3 * entropyLong} {
		classes := make([]byte, n)
		var counts [MaxClass + 1]uint32
		for i := range classes {
			classes[i] = byte(min(MaxClass, math.Abs(rng.NormFloat64())*9))
			counts[classes[i]]++
		}
		var e EntropyEncoder
		column := e.Append(nil, classes, counts[:])
		states := [entropyWays]uint32{entropyLow, entropyLow, entropyLow, entropyLow}
		ways := entropyStates(n)
		var words []uint16
		for i := n - 1; i >= 0; i-- {
			state, f := &states[i%ways], e.frequency[classes[i]]
			if uint64(*state) >= uint64(f)<<(32-entropyBits) {
				words = append(words, uint16(*state))
				*state >>= 16
			}
			*state = *state/f<<entropyBits + *state%f + e.start[classes[i]]
		}
		var want []byte
		for _, state := range states[:ways] {
			want = binary.LittleEndian.AppendUint32(want, state)
		}
		for i := len(words) - 1; i >= 0; i-- {
			want = binary.LittleEndian.AppendUint16(want, words[i])
		}
		if !bytes.HasSuffix(column, want) {
			t.Errorf("%d classes: the words differ", n)
		}
	}
}

func TestPatternsOfEarlierColumnsDoNotCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	used := new(patternTable)
	for i := range 200 {
		if i == 100 {
			used.end = math.MaxInt32 - 500
		}
		data := make([]byte, rng.IntN(900))
		for i := range data {
			data[i] = byte(rng.IntN(1 + i%4))
		}
		if got, want := patternBits(data, 3, used), patternBits(data, 3, new(patternTable)); got != want {
			t.Fatalf("column %d: %g bits, with a new table %g", i, got, want)
		}
	}
}

func TestCountedBitsAreTheEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		var counts [MaxClass + 1]uint32
		n, want := 0.0, 0.0
		for range rng.IntN(60) {
			counts[rng.IntN(len(counts))] += rng.Uint32N(3000)
		}
		for _, count := range counts {
			n += float64(count)
		}
		for class, count := range counts {
			if count > 0 {
				want += float64(count) * (math.Log2(n/float64(count)) + float64(Classes[class].Open))
			}
		}
		if got := CountedBits(counts[:]); math.Abs(got-want) > 1e-9*(1+want) {
			t.Errorf("%g bits, want %g", got, want)
		}
	}
}
