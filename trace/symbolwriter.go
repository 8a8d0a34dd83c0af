package trace

import (
	"encoding/binary"
	"math"
)

// symbolWriter builds a column lane_symbols; see symbolReader. Its memory is reused.
type symbolWriter struct {
	contexts []uint8                               // per lane, of the kind that is chosen
	classes  [maxContexts][maxLaneClass + 1]uint32 // counts, then frequencies
	nibbles  [nibbleTables][1 << nibbleBits]uint32
	starts   [maxContexts][maxLaneClass + 1]uint32
	opens    [nibbleTables][1 << nibbleBits]uint32
	header   zeroRunWriter
	symbols  []symbol // in the order of decoding
	words    []uint16
}

// symbol is what the reader takes from a state at a time.
type symbol struct {
	frequency, start uint16
	scale            uint8 // bits of the frequencies
	state            uint8
}

// tableBits is about how many bits the frequencies of one symbol take.
const tableBits = 9

// tableEntropy is the entropy of counted symbols and about how many bits their
// frequencies take.
func tableEntropy(counts []uint32) float64 {
	n, bits, symbols := 0.0, 0.0, 0
	for _, count := range counts {
		n += float64(count)
	}
	for _, count := range counts {
		if count > 0 {
			bits += float64(count) * math.Log2(n/float64(count))
			symbols++
		}
	}
	return bits + float64(tableBits*(symbols+1))
}

// countContexts counts the classes by their contexts.
func (w *symbolWriter) countContexts(context int, classes []byte) (tables int, bits float64) {
	counted := w.classes[:contextCount[context]]
	clear(counted)
	for i, class := range classes {
		counted[w.contexts[i]][class]++
	}
	for c := range counted {
		n := tableEntropy(counted[c][:])
		if bits += n; n > tableBits {
			tables++
		}
	}
	return tables, bits
}

// sameLane makes the contexts those of the lanes' classes before.
func (w *symbolWriter) sameLane(runs []laneRun, classes []byte) {
	var last [WarpSize]uint8
	w.contexts = w.contexts[:0]
	for i := range runs {
		for m := runs[i].mask; m != 0; m &= m - 1 {
			w.contexts = append(w.contexts, last[lane(m)])
			last[lane(m)] = contextOfClass[classes[0]]
			classes = classes[1:]
		}
	}
}

// countNibbles counts the open bits of codes by place and width.
func (w *symbolWriter) countNibbles(codes []uint64, classes []byte) (tables int, bits float64) {
	clear(w.nibbles[:])
	for i, class := range classes {
		open := uint(laneClasses[class].open)
		for place := uint(0); place < open; place += nibbleBits {
			table, width := nibbleTable(place, open)
			w.nibbles[table][codes[i]>>place&(1<<width-1)]++
		}
	}
	for t := range w.nibbles {
		n := tableEntropy(w.nibbles[t][:])
		if bits += n; n > tableBits {
			tables++
		}
	}
	return tables, bits
}

// append appends the column to dst. Classes, and open bits if they are to be coded,
// have been counted.
func (w *symbolWriter) append(dst []byte, runs []laneRun, codes []uint64, classes []byte, context int, openCoded bool) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(codes)))
	for c := range contextCount[context] {
		dst = w.appendTable(dst, w.classes[c][:], w.starts[c][:], entropyTotal)
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
			dst = w.appendTable(dst, w.nibbles[t][:], w.opens[t][:], nibbleTotal)
		}
	}
	w.listSymbols(runs, codes, classes, openCoded)
	return w.appendWords(dst)
}

// appendTable turns counts into frequencies and appends those; starts becomes the sums
// of the frequencies before.
func (w *symbolWriter) appendTable(dst []byte, counts, starts []uint32, total int) []byte {
	n := 0
	for _, count := range counts {
		n += int(count)
	}
	if n == 0 {
		return append(dst, 0)
	}
	normalise(counts, counts, n, total)
	start, last := uint32(0), 0
	for i, f := range counts {
		starts[i] = start
		if start += f; f > 0 {
			last = i
		}
	}
	w.header.reset()
	for _, f := range counts[:last+1] {
		w.header.put(uint64(f))
	}
	header := w.header.bytes()
	dst = binary.AppendUvarint(dst, uint64(len(header)))
	return append(dst, header...)
}

// listSymbols lists all symbols in the order in which they are decoded.
func (w *symbolWriter) listSymbols(runs []laneRun, codes []uint64, classes []byte, openCoded bool) {
	w.symbols = w.symbols[:0]
	i := 0
	for r := range runs {
		for m := runs[r].mask; m != 0; m &= m - 1 {
			state, class, context := uint8(lane(m)%entropyWays), classes[i], w.contexts[i]
			w.symbols = append(w.symbols, symbol{uint16(w.classes[context][class]), uint16(w.starts[context][class]), entropyBits, state})
			if openCoded {
				open := uint(laneClasses[class].open)
				for place := uint(0); place < open; place += nibbleBits {
					t, width := nibbleTable(place, open)
					value := codes[i] >> place & (1<<width - 1)
					w.symbols = append(w.symbols, symbol{uint16(w.nibbles[t][value]), uint16(w.opens[t][value]), nibbleScale, state})
				}
			}
			i++
		}
	}
}

// appendWords codes the listed symbols, the last first.
func (w *symbolWriter) appendWords(dst []byte) []byte {
	var states [entropyWays]uint32
	for i := range states {
		states[i] = entropyLow
	}
	w.words = w.words[:0]
	for i := len(w.symbols) - 1; i >= 0; i-- {
		s := &w.symbols[i]
		state, f := states[s.state%entropyWays], uint32(s.frequency)
		if uint64(state) >= uint64(f)<<(32-s.scale) {
			w.words = append(w.words, uint16(state))
			state >>= 16
		}
		states[s.state%entropyWays] = state/f<<(s.scale&31) + state%f + uint32(s.start)
	}
	for _, state := range states {
		dst = binary.LittleEndian.AppendUint32(dst, state)
	}
	for i := len(w.words) - 1; i >= 0; i-- {
		dst = binary.LittleEndian.AppendUint16(dst, w.words[i])
	}
	return dst
}
