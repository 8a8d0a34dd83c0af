package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Lane classes that do not repeat in longer patterns are entropy-coded by rANS
// (Duda, "Asymmetric numeral systems", arXiv:1311.2540, section 3), with a 32-bit
// state that moves 16 bits at a time and frequencies in 1/4096.

const (
	entropyBits  = 12
	entropyTotal = 1 << entropyBits
	entropyLow   = 1 << 16 // least state between two symbols
)

// entropyEncoder codes lane classes; its memory is reused.
type entropyEncoder struct {
	frequency [maxLaneClass + 1]uint32 // out of entropyTotal
	start     [maxLaneClass + 1]uint32
	header    zeroRunWriter
	words     []uint16
}

// append appends the coded classes to dst; counts is how often each occurs.
func (e *entropyEncoder) append(dst, classes []byte, counts *[maxLaneClass + 1]uint32) []byte {
	e.normalise(counts, len(classes))
	e.header.reset()
	start, last := uint32(0), 0
	for class, f := range e.frequency {
		e.start[class] = start
		if start += f; f > 0 {
			last = class
		}
	}
	for _, f := range e.frequency[:last+1] {
		e.header.put(uint64(f))
	}
	state := uint64(entropyLow)
	e.words = e.words[:0]
	for i := len(classes) - 1; i >= 0; i-- {
		f := uint64(e.frequency[classes[i]])
		if state >= f<<(32-entropyBits) {
			e.words = append(e.words, uint16(state))
			state >>= 16
		}
		state = state/f<<entropyBits + state%f + uint64(e.start[classes[i]])
	}
	dst = binary.AppendUvarint(dst, uint64(len(classes)))
	header := e.header.bytes()
	dst = binary.AppendUvarint(dst, uint64(len(header)))
	dst = append(dst, header...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(state))
	for i := len(e.words) - 1; i >= 0; i-- {
		dst = binary.LittleEndian.AppendUint16(dst, e.words[i])
	}
	return dst
}

// normalise scales the counts to entropyTotal, at least 1 for what occurs. What
// rounding leaves over or takes too much goes to the most frequent classes.
func (e *entropyEncoder) normalise(counts *[maxLaneClass + 1]uint32, n int) {
	left, most := entropyTotal, 0
	for class, count := range counts {
		f := uint32(uint64(count) * entropyTotal / uint64(n))
		if count > 0 && f == 0 {
			f = 1
		}
		if e.frequency[class] = f; f > e.frequency[most] {
			most = class
		}
		left -= int(f)
	}
	for left < 0 { // many rare classes were rounded up
		for class := range e.frequency {
			if f := &e.frequency[class]; *f > 1 && left < 0 {
				take := min(-left, int(*f-1), max(1, int(*f)/8))
				*f -= uint32(take)
				left += take
			}
		}
	}
	e.frequency[most] += uint32(left)
}

// entropyDecoder holds the table of one column: per state modulo entropyTotal the
// class, its frequency less one, and the place among its states.
type entropyDecoder struct {
	class     [entropyTotal]byte
	frequency [maxLaneClass + 1]uint32
	start     [maxLaneClass + 1]uint32
}

var errEntropy = errors.New("lane classes: the coded column is damaged")

// append appends at most limit decoded classes to dst.
func (d *entropyDecoder) append(dst, coded []byte, limit int) ([]byte, error) {
	in := column{data: coded}
	n, length := in.uvarint(), in.uvarint()
	if in.failed || length > uint64(len(in.data)) || uint64(len(in.data))-length < 4 {
		return dst, errEntropy
	}
	if n > uint64(limit) {
		return dst, fmt.Errorf("lane classes: %d where %d are allowed", n, limit)
	}
	if err := d.readFrequencies(in.data[:length]); err != nil {
		return dst, err
	}
	state := binary.LittleEndian.Uint32(in.data[length:])
	words := in.data[length+4:]
	for range n {
		slot := state % entropyTotal
		class := d.class[slot]
		state = d.frequency[class]*(state>>entropyBits) + slot - d.start[class]
		if state < entropyLow {
			if len(words) < 2 {
				return dst, errEntropy
			}
			state = state<<16 | uint32(binary.LittleEndian.Uint16(words))
			words = words[2:]
		}
		dst = append(dst, class)
	}
	if state != entropyLow || len(words) > 0 {
		return dst, errEntropy
	}
	return dst, nil
}

func (d *entropyDecoder) readFrequencies(header []byte) error {
	in := zeroRunReader{column: column{data: header}}
	total := uint32(0)
	for class := 0; len(in.data) > 0 || in.zeros > 0; class++ {
		f := in.next()
		if class > maxLaneClass || f > entropyTotal || total+uint32(f) > entropyTotal {
			return errEntropy
		}
		d.frequency[class], d.start[class] = uint32(f), total
		for slot := total; slot < total+uint32(f); slot++ {
			d.class[slot] = byte(class)
		}
		total += uint32(f)
	}
	if in.check() != nil || total != entropyTotal {
		return errEntropy
	}
	return nil
}

// patternBits is about how many bits a compressor takes for bytes that repeat in
// patterns, given the entropy of a byte: literals at their entropy, each match the
// bits of a length and a distance. The writer chooses by it between plain classes
// and coded ones, so it may not depend on what a compressor really does.
func patternBits(data []byte, entropy float64, table *[1 << patternTableBits]int32) float64 {
	const least, match = 6, 22
	clear(table[:])
	bits := 0.0
	for i := 0; i < len(data); {
		if i+8 > len(data) {
			bits += entropy
			i++
			continue
		}
		word := binary.LittleEndian.Uint64(data[i:])
		slot := &table[word<<16*0x9e3779b97f4a7c15>>(64-patternTableBits)]
		from := int(*slot) - 1
		*slot = int32(i + 1)
		n := 0
		if from >= 0 {
			for i+n < len(data) && data[from+n] == data[i+n] {
				n++
			}
		}
		if n < least {
			bits += entropy
			i++
			continue
		}
		bits += match
		i += n
	}
	return bits
}

const patternTableBits = 14
