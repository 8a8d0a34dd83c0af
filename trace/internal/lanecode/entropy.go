// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanevector"
)

// Lane classes that do not repeat in longer patterns are entropy-coded by rANS
// (Duda, "Asymmetric numeral systems", arXiv:1311.2540, section 3). The coder has a
// 32-bit state that moves 16 bits at a time, and frequencies in 1/4096.

const (
	entropyBits  = 12
	entropyTotal = 1 << entropyBits
	entropyLow   = 1 << 16 // least state between two symbols
)

// A long column takes turns among several states: a processor decodes their classes
// side by side, while those of one state wait for each other.
const (
	entropyWays = lanevector.Ways
	entropyLong = 4096 // classes
)

// entropyStates is how many states a column of so many classes has.
func entropyStates(classes int) int {
	if classes < entropyLong {
		return 1
	}
	return entropyWays
}

// EntropyEncoder codes lane classes; its memory is reused.
type EntropyEncoder struct {
	frequency [MaxClass + 1]uint32 // out of entropyTotal
	start     [MaxClass + 1]uint32
	coders    [256]lanevector.Coder
	header    columns.ZeroRunWriter
	words     []uint16
}

// Append appends the coded classes to dst; counts is how often each
// occurs, up to the largest.
func (e *EntropyEncoder) Append(dst, classes []byte, counts []uint32) []byte {
	frequency := e.frequency[:len(counts)]
	normalise(frequency, counts, len(classes), entropyTotal)
	e.header.Reset()
	start, last := uint32(0), 0
	for class, f := range frequency {
		e.start[class] = start
		if start += f; f > 0 {
			last = class
		}
	}
	for _, f := range frequency[:last+1] {
		e.header.Put(uint64(f))
	}
	for class, f := range frequency {
		e.coders[class] = lanevector.NewCoder(f, e.start[class], entropyBits)
	}
	var states [entropyWays]uint32
	ways := entropyStates(len(classes))
	for i := range ways {
		states[i] = entropyLow
	}
	words := columns.Sized(e.words, len(classes))
	n, i := 0, len(classes)-1
	if frequency[last] == entropyTotal {
		i = -1 // the only class: it changes no state
	}
	for ; i >= 0 && (ways == 1 || i%entropyWays != entropyWays-1); i-- {
		state := &states[i&(ways-1)]
		*state, n = e.coders[classes[i]].Put(*state, words, n)
	}
	if i > 0 {
		n = lanevector.CodeClasses(&e.coders, classes[:i+1], words, n, &states)
	}
	e.words = words[:n]
	dst = binary.AppendUvarint(dst, uint64(len(classes)))
	header := e.header.Bytes()
	dst = binary.AppendUvarint(dst, uint64(len(header)))
	dst = append(dst, header...)
	for _, state := range states[:ways] {
		dst = binary.LittleEndian.AppendUint32(dst, state)
	}
	return appendBackwards(dst, e.words)
}

// appendBackwards appends words, the last first.
func appendBackwards(dst []byte, words []uint16) []byte {
	start := len(dst)
	dst = slices.Grow(dst, 2*len(words))[:start+2*len(words)]
	out := dst[start:]
	for _, word := range words {
		binary.LittleEndian.PutUint16(out[len(out)-2:], word)
		out = out[:len(out)-2]
	}
	return dst
}

// normalise scales the counts of n symbols to the total, at least 1 for what occurs.
// What rounding leaves over or takes too much goes to the most frequent symbols.
func normalise(frequency, counts []uint32, n, total int) {
	left, most := total, 0
	for symbol, count := range counts {
		f := uint32(uint64(count) * uint64(total) / uint64(n))
		if count > 0 && f == 0 {
			f = 1
		}
		if frequency[symbol] = f; f > frequency[most] {
			most = symbol
		}
		left -= int(f)
	}
	for left < 0 { // many rare symbols were rounded up
		for symbol := range frequency {
			if f := &frequency[symbol]; *f > 1 && left < 0 {
				take := min(-left, int(*f-1), max(1, int(*f)/8))
				*f -= uint32(take)
				left += take
			}
		}
	}
	frequency[most] += uint32(left)
}

// EntropyDecoder holds the table of one column. Per state modulo entropyTotal it
// has the class (bits 0 to 7), its frequency less one (8 to 19) and the place among
// its states (20 to 31). One load per class, and the table fits the first-level
// cache.
type EntropyDecoder struct {
	table [entropyTotal]uint32
}

var errEntropy = errors.New("lane classes: the coded column is damaged")

// Append appends at most limit decoded classes to dst.
func (d *EntropyDecoder) Append(dst, coded []byte, limit int) ([]byte, error) {
	in := columns.Reader{Data: coded}
	n, length := in.Uvarint(), in.Uvarint()
	if in.Failed || length > uint64(len(in.Data)) {
		return dst, errEntropy
	}
	if n > uint64(limit) {
		return dst, fmt.Errorf("lane classes: %d where %d are allowed", n, limit)
	}
	if err := readFrequencies(d.table[:], in.Data[:length], MaxClass); err != nil {
		return dst, err
	}
	words := in.Data[length:]
	ways := entropyStates(int(n))
	if len(words) < 4*ways {
		return dst, errEntropy
	}
	var states [entropyWays]uint32
	for i := range ways {
		states[i] = binary.LittleEndian.Uint32(words)
		words = words[4:]
	}
	start := len(dst)
	dst = slices.Grow(dst, int(n))[:start+int(n)]
	out := dst[start:]
	done := 0
	if only := d.table[0]; only>>entryFrequency%entropyTotal == entropyTotal-1 {
		done = fill(out, byte(only))
	} else if ways == entropyWays {
		done, words = d.fast(out, &states, words)
	}
	for ; done < len(out); done++ {
		state := &states[done&(ways-1)]
		out[done], *state = d.step(*state)
		if *state < entropyLow {
			if len(words) < 2 {
				return dst[:start], errEntropy
			}
			*state = *state<<16 | uint32(binary.LittleEndian.Uint16(words))
			words = words[2:]
		}
	}
	for _, state := range states[:ways] {
		if state != entropyLow {
			return dst[:start], errEntropy
		}
	}
	if len(words) > 0 {
		return dst[:start], errEntropy
	}
	return dst, nil
}

// fill sets all classes to the only one that a column has: it changes no state and
// takes no words.
func fill(out []byte, class byte) int {
	for i := range out {
		out[i] = class
	}
	return len(out)
}

// step takes one class out of a state.
func (d *EntropyDecoder) step(state uint32) (class byte, next uint32) {
	return stepOf(d.table[state%entropyTotal], state)
}

// stepOf takes a class out of a state, given the state's entry of the table.
func stepOf(entry, state uint32) (class byte, next uint32) {
	return byte(entry), (entry>>entryFrequency%entropyTotal+1)*(state>>entropyBits) + entry>>entryPlace
}

// Where the fields of an entry begin.
const (
	entryFrequency = 8
	entryPlace     = entryFrequency + entropyBits
)

// refill gives a state that has become small the next word. Whether it has is as
// good as random, so there is no branch for a processor to guess.
func refill(state, word uint32, at int) (uint32, int) {
	small := uint32((uint64(state) - entropyLow) >> 63) // 1 or 0
	return state<<(16*small&31) | word&-small, at + int(2*small)
}

// refillOf is refill with the next of four words; taken is how many of their bits are used.
func refillOf(state uint32, words uint64, taken uint) (uint32, uint) {
	small := uint32((uint64(state) - entropyLow) >> 63) // 1 or 0
	return state<<(16*small&31) | uint32(words>>(taken&63))&0xffff&-small, taken + uint(16*small)
}

// fast decodes groups of classes, one of each state, as long as there are words for
// a whole group. The states do not wait for each other.
func (d *EntropyDecoder) fast(out []byte, states *[entropyWays]uint32, words []byte) (done int, rest []byte) {
	a, b, c, e := states[0], states[1], states[2], states[3]
	at := 0
	for ; len(out)-done >= entropyWays && len(words)-at >= 2*entropyWays; done += entropyWays {
		group := out[done : done+entropyWays : done+entropyWays]
		group[0], a = d.step(a)
		group[1], b = d.step(b)
		group[2], c = d.step(c)
		group[3], e = d.step(e)
		next := binary.LittleEndian.Uint64(words[at:])
		var taken uint // bits
		a, taken = refillOf(a, next, 0)
		b, taken = refillOf(b, next, taken)
		c, taken = refillOf(c, next, taken)
		e, taken = refillOf(e, next, taken)
		at += int(taken / 8)
	}
	*states = [entropyWays]uint32{a, b, c, e}
	return done, words[at:]
}

// readFrequencies fills the table of symbols up to most, as EntropyDecoder has it.
// The frequencies add up to its length.
func readFrequencies(table []uint32, header []byte, most uint32) error {
	in := columns.ZeroRunReader{Reader: columns.Reader{Data: header}}
	total, all := uint64(0), uint64(len(table))
	for symbol := uint32(0); len(in.Data) > 0 || in.Zeros > 0; symbol++ {
		f := in.Next()
		if symbol > most || f > all || total+f > all {
			return errEntropy
		}
		entry := symbol | (uint32(f)-1)%entropyTotal<<entryFrequency
		slots := table[total : total+f]
		for i := range slots {
			slots[i] = entry + uint32(i)<<entryPlace
		}
		total += f
	}
	if in.Check() != nil || total != all {
		return errEntropy
	}
	return nil
}

// PatternBits is about how many bits a compressor takes for bytes that repeat in
// patterns, given the entropy of a byte. It counts literals at their entropy, each
// match the bits of a length and a distance. The writer chooses by it between
// plain classes and coded ones, so it may not depend on what a compressor really
// does.
func patternBits(data []byte, entropy float64, table *patternTable) float64 {
	const least, match = 6, 22
	start := table.start(len(data))
	total := 0.0
	for i := 0; i < len(data); {
		if i+8 > len(data) {
			total += entropy
			i++
			continue
		}
		word := binary.LittleEndian.Uint64(data[i:])
		slot := &table.places[word<<16*columns.HashFactor>>(64-patternTableBits)]
		from := int(*slot) - start
		*slot = uint32(start + i)
		n := 0
		if from >= 0 {
			n = bits.TrailingZeros64(word^binary.LittleEndian.Uint64(data[from:])) / 8
			for n >= 8 && i+n < len(data) && data[from+n] == data[i+n] {
				n++
			}
		}
		if n < least {
			total += entropy
			i++
			continue
		}
		total += match
		i += n
	}
	return total
}

const patternTableBits = 14

// patternTable says where words of the data were seen last. The places of one call are
// larger than those of the calls before, so that it need not be cleared for each: most
// columns are much shorter than it.
type patternTable struct {
	places [1 << patternTableBits]uint32
	end    int // the places that were used are below, but for 0
}

// start returns what the place of the first byte of so many is.
func (t *patternTable) start(bytes int) int {
	if t.end == 0 || t.end+bytes > math.MaxInt32 {
		clear(t.places[:])
		t.end = 1
	}
	start := t.end
	t.end += bytes
	return start
}
