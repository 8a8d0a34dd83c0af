// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace/internal/columns"
)

// SymbolReader decodes a column lane_symbols: classes by their contexts and, if they
// are coded, open bits. Lane l takes turns with the lanes of the same l mod 4 at a
// state, so that a processor decodes four lanes side by side.
type SymbolReader struct {
	Context   int
	openCoded bool
	tables    *SymbolTables
	place     [maxContexts]uint32  // where the table of each context begins in tables.classes
	placeOpen [nibbleTables]uint32 // in tables.nibbles
	states    [entropyWays]uint32
	words     []byte
	at        int
	Left      int              // lanes
	last      [WarpLanes]uint8 // contexts
	failed    bool
}

// SymbolTables are the tables of all columns of a chunk, with entries as in
// EntropyDecoder. The first of each is that of what has no frequencies.
type SymbolTables struct {
	classes []uint32 // entropyTotal entries each
	nibbles []uint32 // nibbleTotal entries each
}

// Reset keeps the first tables only.
func (t *SymbolTables) Reset() {
	if t.classes == nil {
		t.classes = appendUnusedTable(nil, entropyTotal, noClass)
		t.nibbles = appendUnusedTable(nil, nibbleTotal, noNibble)
	}
	t.classes, t.nibbles = t.classes[:entropyTotal], t.nibbles[:nibbleTotal]
}

var errSymbols = errors.New("lane symbols: the column is damaged")

// noClass and noNibble are what a table of an unused context yields.
const (
	noClass  = 255
	noNibble = 1 << nibbleBits
)

// Start reads everything before the words. The context is one that exists; there are at most
// so many lanes.
func (r *SymbolReader) Start(coded []byte, context int, openCoded bool, lanes int, tables *SymbolTables) error {
	*r = SymbolReader{Context: context, openCoded: openCoded, tables: tables}
	in := columns.Reader{Data: coded}
	n := in.Uvarint()
	if n > uint64(lanes) {
		return fmt.Errorf("lane symbols: %d lanes where %d are allowed", n, lanes)
	}
	r.Left = int(n)
	var err error
	for i := range ContextCount[context] {
		if r.place[i], err = readTable(&tables.classes, &in, entropyTotal, MaxClassTables, MaxClass); err != nil {
			return err
		}
	}
	if openCoded {
		count := in.Uvarint()
		if count > nibbleTables {
			return errSymbols
		}
		for i := range count {
			if r.placeOpen[i], err = readTable(&tables.nibbles, &in, nibbleTotal, MaxNibbleTables, noNibble-1); err != nil {
				return err
			}
		}
	}
	if in.Failed || len(in.Data) < 4*entropyWays {
		return errSymbols
	}
	for i := range r.states {
		r.states[i] = binary.LittleEndian.Uint32(in.Data[4*i:])
	}
	r.words = in.Data[4*entropyWays:]
	return nil
}

// appendUnusedTable appends a table whose only symbol is one that does not exist.
func appendUnusedTable(tables []uint32, entries int, symbol uint32) []uint32 {
	for i := range entries {
		tables = append(tables, symbol|uint32(entries-1)<<entryFrequency|uint32(i)<<entryPlace)
	}
	return tables
}

// readTable reads a length and that many bytes of frequencies of symbols up to most,
// and returns where their table begins: the first one without frequencies.
func readTable(tables *[]uint32, in *columns.Reader, entries, limit int, most uint32) (place uint32, err error) {
	length := in.Uvarint()
	if in.Failed || length > uint64(len(in.Data)) {
		return 0, errSymbols
	}
	header := in.Data[:length]
	if in.Data = in.Data[length:]; length == 0 {
		return 0, nil
	}
	start := len(*tables)
	if start/entries > limit {
		return 0, fmt.Errorf("lane symbols: more than %d tables of %d entries in a chunk", limit, entries)
	}
	*tables = slices.Grow(*tables, entries)[:start+entries]
	return uint32(start), readFrequencies((*tables)[start:], header, most)
}

// Take decodes one code for each lane of the mask, ascending; Left is as many at least.
// Open bits that are not coded are those of open; contexts has those of a context that is
// not known from the classes.
func (r *SymbolReader) Take(mask uint32, open *columns.BitReader, contexts *[WarpLanes]uint8, codes *[WarpLanes]uint64) {
	if r.Context != ContextKey {
		contexts = &r.last
	}
	r.Left -= bits.OnesCount32(mask)
	if r.openCoded {
		r.takeLanes(mask, open, contexts, codes)
		return
	}
	for first := 0; first < WarpLanes; {
		const all = 1<<entropyWays - 1
		switch mask >> first & all {
		case 0:
			first += entropyWays
		case all:
			turns := min(bits.TrailingZeros32(^(mask>>first))/entropyWays, (len(r.words)-r.at)/(2*entropyWays))
			if turns > 0 {
				lanes := turns * entropyWays
				r.takeTurns(contexts[first:first+lanes], open, codes[first:first+lanes])
				first += lanes
				continue
			}
			fallthrough
		default:
			r.takeLanes(mask&(all<<first), open, contexts, codes)
			first += entropyWays
		}
	}
}

// takeTurns is takeLanes for lanes that are whole turns of the states, with open bits
// that are not coded, where there are words enough for all of them. The states do not
// wait for each other.
func (r *SymbolReader) takeTurns(contexts []uint8, open *columns.BitReader, codes []uint64) {
	a, b, c, d := r.states[0], r.states[1], r.states[2], r.states[3]
	at, words, classes, place := r.at, r.words, r.tables.classes, &r.place
	for len(contexts) >= entropyWays && len(codes) >= entropyWays {
		turn, out := (*[entropyWays]uint8)(contexts), (*[entropyWays]uint64)(codes)
		contexts, codes = contexts[entropyWays:], codes[entropyWays:]
		var x, y, z, w byte
		x, a = stepOf(classes[place[turn[0]%maxContexts]+a%entropyTotal], a)
		y, b = stepOf(classes[place[turn[1]%maxContexts]+b%entropyTotal], b)
		z, c = stepOf(classes[place[turn[2]%maxContexts]+c%entropyTotal], c)
		w, d = stepOf(classes[place[turn[3]%maxContexts]+d%entropyTotal], d)
		next := binary.LittleEndian.Uint64(words[at:])
		var taken uint // bits
		a, taken = refillOf(a, next, 0)
		b, taken = refillOf(b, next, taken)
		c, taken = refillOf(c, next, taken)
		d, taken = refillOf(d, next, taken)
		at += int(taken / 8)
		out[0], out[1], out[2], out[3] = uint64(x), uint64(y), uint64(z), uint64(w)
		if x|y|z|w >= ExactClasses {
			for i, class := range [entropyWays]byte{x, y, z, w} {
				out[i] = Classes[class].code | r.plainBits(class, open)
			}
		}
		if r.Context == ContextSameLane {
			turn[0], turn[1], turn[2], turn[3] = contextOfClass[x], contextOfClass[y], contextOfClass[z], contextOfClass[w]
		}
	}
	r.states, r.at = [entropyWays]uint32{a, b, c, d}, at
}

// takeLanes is take, one lane after the other.
func (r *SymbolReader) takeLanes(mask uint32, open *columns.BitReader, contexts *[WarpLanes]uint8, codes *[WarpLanes]uint64) {
	states, at, words := r.states, r.at, r.words
	classes, nibbles := r.tables.classes, r.tables.nibbles
	sameLane, openCoded := r.Context == ContextSameLane, r.openCoded
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		var class byte
		state := states[l%entropyWays]
		class, state = stepOf(classes[r.place[contexts[l]%maxContexts]+state%entropyTotal], state)
		state, at = refillFrom(state, words, at)
		c := &Classes[class]
		if sameLane {
			r.last[l] = contextOfClass[class]
		}
		code, width := c.code, uint(c.Open)
		if !openCoded || class > MaxClass {
			states[l%entropyWays] = state
			if codes[l] = code; width > 0 {
				codes[l] |= r.plainBits(class, open)
			}
			continue
		}
		for place := uint(0); place < width; place += nibbleBits {
			table := r.placeOpen[(place+min(nibbleBits, width-place)-1)%nibbleTables]
			e := nibbles[table+state%nibbleTotal]
			state = (e>>entryFrequency%entropyTotal+1)*(state>>nibbleScale) + e>>entryPlace
			state, at = refillFrom(state, words, at)
			if byte(e) >= noNibble {
				r.failed = true
			}
			code |= uint64(byte(e)) << (place & 63)
		}
		states[l%entropyWays] = state
		codes[l] = code
	}
	r.states, r.at = states, at
}

// plainBits takes open bits that are not coded.
func (r *SymbolReader) plainBits(class byte, open *columns.BitReader) uint64 {
	if class > MaxClass {
		r.failed = true
		return 0
	}
	return open.Next(uint(Classes[class].Open))
}

// refillFrom is refill with a word that may be missing: then the place goes beyond the
// end, which check reports.
func refillFrom(state uint32, words []byte, at int) (uint32, int) {
	word := uint32(0)
	if at+2 <= len(words) {
		word = uint32(binary.LittleEndian.Uint16(words[at:]))
	}
	return refill(state, word, at)
}

// Check reports lanes that are left over, and a column that does not end as it should.
func (r *SymbolReader) Check() error {
	if r.failed || r.Left > 0 || r.at != len(r.words) {
		return errSymbols
	}
	for _, state := range r.states {
		if state != entropyLow {
			return errSymbols
		}
	}
	return nil
}
