// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"encoding/binary"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanevector"
)

// symbolWriter builds a column lane_symbols; see SymbolReader. Its memory is reused.
type symbolWriter struct {
	Contexts []uint8                  // per lane, of the kind that is chosen
	Classes  [maxContexts][256]uint32 // counts, then frequencies
	end      int                      // of classes
	nibbles  [nibbleTables][1 << nibbleBits]uint32
	coders   lanevector.Symbols // of what occurs
	header   columns.ZeroRunWriter
	states   [entropyWays]uint32
	words    []uint16
}

// TableBits is about how many bits the frequencies of one symbol take.
const TableBits = 9

// TableEntropy is the entropy of counted symbols and about how many bits their
// frequencies take.
func TableEntropy(counts []uint32) float64 {
	n, bits, symbols := uint32(0), 0.0, 0
	for _, count := range counts {
		if count > 0 {
			n += count
			bits -= selfBits(count)
			symbols++
		}
	}
	return max(0, bits+selfBits(n)) + float64(TableBits*(symbols+1))
}

// CountContexts counts the classes, which are below the end, by their contexts.
func (w *symbolWriter) CountContexts(context int, classes []byte, end int) (tables int, bits float64) {
	counted := w.Classes[:ContextCount[context]]
	clear(counted)
	w.end = end
	lanevector.CountContexts(&w.Classes, w.Contexts[:len(classes)], classes)
	for c := range counted {
		n := TableEntropy(counted[c][:end])
		if bits += n; n > TableBits {
			tables++
		}
	}
	return tables, bits
}

// SameLane makes the contexts those of the lanes' classes before.
func (w *symbolWriter) SameLane(runs []Run, classes []byte) {
	var last [WarpLanes]uint8
	w.Contexts = columns.Sized(w.Contexts, len(classes))[:0]
	for i := range runs {
		if runs[i].Mask == AllWarpLanes {
			w.Contexts = append(w.Contexts, last[:]...)
			lanevector.Contexts(&last, (*[WarpLanes]byte)(classes))
			classes = classes[WarpLanes:]
			continue
		}
		if n, ok := Prefix(runs[i].Mask); ok {
			w.Contexts = append(w.Contexts, last[:n]...)
			var these [WarpLanes]byte
			copy(these[:], classes[:n])
			lanevector.Contexts(&these, &these)
			copy(last[:], these[:n])
			classes = classes[n:]
			continue
		}
		for m := runs[i].Mask; m != 0; m &= m - 1 {
			w.Contexts = append(w.Contexts, last[Lane(m)])
			last[Lane(m)] = lanevector.ContextOf(classes[0])
			classes = classes[1:]
		}
	}
}

// CountNibbles counts the open bits of codes by place and width. The classes are below
// the end.
func (w *symbolWriter) CountNibbles(codes []uint64, classes []byte, end int) (tables int, bits float64) {
	clear(w.nibbles[:])
	used := w.nibbles[:Classes[end-1].Open]
	lanevector.CountOpen(&w.nibbles, codes[:len(classes)], classes)
	for t := range used {
		n := TableEntropy(used[t][:])
		if bits += n; n > TableBits {
			tables++
		}
	}
	return tables, bits + float64(TableBits*(len(w.nibbles)-len(used)))
}

// Append appends the column to dst. Classes, and open bits if they are to be coded,
// have been counted.
func (w *symbolWriter) Append(dst []byte, runs []Run, codes []uint64, classes []byte, context int, openCoded bool) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(codes)))
	for c := range ContextCount[context] {
		dst = w.appendTable(dst, w.Classes[c][:w.end], w.coders.Classes[c][:], entropyBits)
	}
	if openCoded {
		tables := 0
		for t := range w.nibbles {
			if w.nibbles[t] != [1 << nibbleBits]uint32{} {
				tables = t + 1
			}
		}
		dst = binary.AppendUvarint(dst, uint64(tables))
		for t := range tables {
			dst = w.appendTable(dst, w.nibbles[t][:], w.coders.Opens[t][:], nibbleScale)
		}
	}
	w.code(runs, codes, classes, openCoded)
	for _, state := range w.states {
		dst = binary.LittleEndian.AppendUint32(dst, state)
	}
	for i := len(w.words) - 1; i >= 0; i-- {
		dst = binary.LittleEndian.AppendUint16(dst, w.words[i])
	}
	return dst
}

// appendTable turns counts into frequencies out of 2^scale, appends those, and makes
// their coders.
func (w *symbolWriter) appendTable(dst []byte, counts []uint32, coders []lanevector.Coder, scale uint) []byte {
	n := 0
	for _, count := range counts {
		n += int(count)
	}
	if n == 0 {
		return append(dst, 0)
	}
	normalise(counts, counts, n, 1<<scale)
	start, last := uint32(0), 0
	for i, f := range counts {
		if f > 0 {
			coders[i], last = lanevector.NewCoder(f, start, scale), i
			start += f
		}
	}
	w.header.Reset()
	for _, f := range counts[:last+1] {
		w.header.Put(uint64(f))
	}
	header := w.header.Bytes()
	dst = binary.AppendUvarint(dst, uint64(len(header)))
	return append(dst, header...)
}

// code codes all lanes, the last first.
func (w *symbolWriter) code(runs []Run, codes []uint64, classes []byte, openCoded bool) {
	w.words = columns.Sized(w.words, w.symbols(classes, openCoded)+WarpLanes*lanevector.MaxSymbols)
	s := [entropyWays]uint32{entropyLow, entropyLow, entropyLow, entropyLow}
	n, i, contexts := 0, len(classes), w.Contexts[:len(classes)]
	for r := len(runs) - 1; r >= 0; r-- {
		if lanes, ok := Prefix(runs[r].Mask); ok {
			i -= lanes
			n = w.coders.CodeLanes(codes[i:i+lanes], classes[i:i+lanes], contexts[i:i+lanes], openCoded, w.words, n, &s)
			continue
		}
		for m := runs[r].Mask; m != 0; {
			i--
			l := bits.Len32(m) - 1
			m &^= 1 << (l & 31)
			state := &s[l%entropyWays]
			if openCoded {
				*state, n = w.coders.CodeOpen(*state, codes[i], classes[i], w.words, n)
			}
			*state, n = w.coders.Classes[contexts[i]&(maxContexts-1)][classes[i]].Put(*state, w.words, n)
		}
	}
	w.states, w.words = s, w.words[:n]
}

// symbols is the number of symbols at most; each may make a word.
func (w *symbolWriter) symbols(classes []byte, openCoded bool) int {
	if !openCoded {
		return len(classes)
	}
	most := (uint(Classes[w.end-1].Open) + nibbleBits - 1) / nibbleBits
	return len(classes) * int(1+most)
}
