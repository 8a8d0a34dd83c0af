// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace/internal/columns"
)

// drawCoders fills coders by frequencies that add up to 2^scale; some symbols do not occur.
func drawCoders(r *rand.Rand, coders []Coder, scale uint) (frequencies []uint32) {
	frequencies = make([]uint32, len(coders))
	left := uint32(1) << scale
	for _, i := range r.Perm(len(coders)) {
		frequencies[i] = min(left, r.Uint32N(1<<(1+r.UintN(scale))))
		left -= frequencies[i]
	}
	frequencies[r.IntN(len(coders))] += left
	start := uint32(0)
	for i, f := range frequencies {
		coders[i] = NewCoder(f, start, scale)
		start += f
	}
	return frequencies
}

// drawClasses fills classes by symbols that occur, and codes of these classes.
func drawClasses(r *rand.Rand, frequencies []uint32, classes []byte, codes []uint64) {
	for i := range classes {
		for classes[i] = byte(r.UintN(uint(len(frequencies)))); frequencies[classes[i]] == 0; {
			classes[i] = byte((int(classes[i]) + 1) % len(frequencies))
		}
		if class := classes[i]; codes != nil {
			codes[i] = uint64(class)
			if open := openBits[class]; open > 0 {
				codes[i] = uint64(4|class&3)<<open | r.Uint64()&(1<<open-1)
			}
		}
	}
}

const scale = 12

// A state with a symbol in it is state/f<<scale + state%f + start, in whole numbers of any size.
func TestCoderDividesExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		f := 1 + r.Uint32N(1<<r.UintN(scale+1))
		start := r.Uint32N(1<<scale - f + 1)
		state := 1<<16 + r.Uint32()>>(r.UintN(16))%(1<<32-1<<16)
		c := NewCoder(f, start, scale)
		words := make([]uint16, 1)
		got, n := c.Put(state, words, 0)
		x, q, m := new(big.Int).SetUint64(uint64(state)), new(big.Int), new(big.Int)
		want := 0
		if limit := new(big.Int).Lsh(big.NewInt(int64(f)), 32-scale); x.Cmp(limit) >= 0 {
			want = 1
			x.Rsh(x, 16)
		}
		q.DivMod(x, big.NewInt(int64(f)), m)
		q.Lsh(q, scale).Add(q, m).Add(q, big.NewInt(int64(start)))
		if n != want || q.Cmp(new(big.Int).SetUint64(uint64(got))) != 0 || n == 1 && words[0] != uint16(state) {
			t.Fatalf("state %d, frequency %d from %d on: %d and %d words, want %v and %d", state, f, start, got, n, q, want)
		}
	}
}

// small draws classes of few open bits in half of the cases.
func small(r *rand.Rand) int { return []int{256, 30, 9, 2}[r.IntN(4)] }

func TestCodedClassesEqualTheirTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		var coders [256]Coder
		classes := make([]byte, Ways*r.IntN(80))
		drawClasses(r, drawCoders(r, coders[:small(r)], scale), classes, nil)
		have, want := make([]uint16, 3+len(classes)), make([]uint16, 3+len(classes))
		states := [Ways]uint32{1 << 16, 1<<16 + 1, 1 << 30, 1 << 20}
		slow := states
		n, m := CodeClasses(&coders, classes, have, 3, &states), codeClasses(&coders, classes, want, 3, &slow)
		if n != m || states != slow || !slices.Equal(have[:n], want[:n]) {
			t.Fatalf("%d classes: states %v and %d words, want %v and %d", len(classes), states, n, slow, m)
		}
	}
}

func TestCodedLanesEqualTheirTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var s Symbols
	for round := range 300 {
		var codes [Lanes]uint64
		var classes, contexts [Lanes]byte
		symbols := min(small(r), maxClass+1)
		frequencies := make([][]uint32, MaxContexts)
		for c := range s.Classes {
			frequencies[c] = drawCoders(r, s.Classes[c][:symbols], scale)
		}
		for i := range s.Opens {
			for symbol := range s.Opens[i] { // all symbols occur
				s.Opens[i][symbol] = NewCoder(64, uint32(64*symbol), 10)
			}
		}
		for l := range codes {
			contexts[l] = byte(r.UintN(MaxContexts))
			drawClasses(r, frequencies[contexts[l]], classes[l:l+1], codes[l:l+1])
		}
		room := 5 + Lanes*MaxSymbols
		have, want := make([]uint16, room), make([]uint16, room)
		states := [Ways]uint32{1 << 16, 1<<16 + 1, 1 << 30, 1 << 20}
		slow := states
		lanes := 1 + r.IntN(Lanes)
		n := s.CodeLanes(codes[:lanes], classes[:], contexts[:], round%2 == 0, have, 5, &states)
		m := s.codeLanes(codes[:lanes], classes[:], contexts[:], 0, round%2 == 0, want, 5, &slow)
		if n != m || states != slow || !slices.Equal(have[:n], want[:n]) {
			t.Fatalf("states %v and %d words, want %v and %d", states, n, slow, m)
		}
	}
}

// Open bits are packed as the bits of one large number.
func TestOpenBitsArePacked(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		frequencies := slices.Repeat([]uint32{1}, []int{252, 130, 120, 64, 9, 8}[r.IntN(6)])
		classes := make([]byte, r.IntN(100)+r.IntN(2)*r.IntN(3*batch))
		codes := make([]uint64, len(classes))
		drawClasses(r, frequencies, classes, codes)
		want, filled := new(big.Int), uint(0)
		for i, class := range classes {
			low := new(big.Int).SetUint64(codes[i] & (1<<openBits[class] - 1))
			want.Or(want, low.Lsh(low, filled))
			filled += uint(openBits[class])
		}
		var w columns.BitWriter
		cut := r.IntN(len(classes) + 1)
		PackOpen(&w, codes[:cut], classes[:cut])
		PackOpen(&w, codes[cut:], classes[cut:])
		have := w.Bytes()
		if len(have) != int(filled+7)/8 {
			t.Fatalf("%d bits took %d bytes", filled, len(have))
		}
		slices.Reverse(have)
		if new(big.Int).SetBytes(have).Cmp(want) != 0 {
			t.Fatalf("%d classes, %d bits: other bits than wanted", len(classes), filled)
		}
	}
}

func TestSmallHashesAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 300 {
		data := make([]byte, r.IntN(3000))
		for i := range data {
			data[i] = byte(r.UintN(1 + uint(len(data))%256))
		}
		factor, zeros, from := r.Uint64()|1, 1+r.UintN(12), r.IntN(len(data)+1)
		at := from
		for {
			next, which := SmallHashes(data, at, factor, zeros)
			if end := len(data) - 15; at < end { // what processors without the instructions do
				if n, w := smallHashes(data, at, end, factor, zeros); n != next || w != which {
					t.Fatalf("from %d of %d: %d and %#x, in Go %d and %#x", at, len(data), next, which, n, w)
				}
			}
			for i := at; i < next+8 && i+16 <= len(data); i++ {
				hash := binary.LittleEndian.Uint64(data[i:]) << 16 * factor
				if found := i >= next && which>>(i-next)&1 == 1; found != (hash>>(64-zeros) == 0) {
					t.Fatalf("hash %#x at %d of %d, %d zeros: found %v", hash, i, len(data), zeros, found)
				}
			}
			if at = next + 8; which == 0 {
				if next+16 <= len(data) {
					t.Fatalf("ends at %d of %d", next, len(data))
				}
				break
			}
		}
	}
}

// TestQuotientsByReciprocalAreThoseOfDivision covers all frequencies, with the states
// at which a quotient changes.
func TestQuotientsByReciprocalAreThoseOfDivision(t *testing.T) {
	for _, scale := range []uint{12, 10} {
		const entropyLow = 1 << 16
		for f := uint32(1); f <= 1<<scale; f++ {
			c := NewCoder(f, 7, scale)
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
