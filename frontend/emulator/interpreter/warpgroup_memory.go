// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// matrixDescriptor is where a factor lies in shared memory (9.7.15.5.1.2.2).
type matrixDescriptor struct {
	start           uint64
	leading, stride uint64 // byte offsets
	base            uint64 // 128-byte lines between the start of the swizzle's pattern and a multiple of its size
	span            int    // of the swizzle
}

func decodeDescriptor(d uint64) matrixDescriptor {
	field := func(shift uint) uint64 { return d >> shift & 0x3fff << 4 }
	return matrixDescriptor{start: field(0), leading: field(16), stride: field(32), base: d >> 49 & 7, span: [...]int{0, 128, 64, 32}[d>>62]}
}

// place is the address of the 16 bytes at an offset.
func (m *matrixDescriptor) place(offset uint64) uint64 {
	at := m.start + offset
	if m.span == 0 {
		return at
	}
	return at ^ ((at>>7-m.base)&(uint64(m.span)/16-1))<<4
}

// alongK is the offset of the 16 bytes with number piece of a row of a, or column of
// b, in a factor whose elements are neighbours along k (K-major). Eight rows are
// a core matrix, or the atom of a swizzle.
func (m *matrixDescriptor) alongK(row, piece int) uint64 {
	if m.span == 0 {
		return uint64(row%8)*16 + uint64(row/8)*m.stride + uint64(piece)*m.leading
	}
	return uint64(row%8)*uint64(m.span) + uint64(row/8)*m.stride + uint64(piece)*16
}

// acrossK is the offset of the 16 bytes with eight rows of a, or columns of b, at
// place k in a factor. The factor's elements are neighbours along m or n
// (MN-major).
func (m *matrixDescriptor) acrossK(eight, k int) uint64 {
	if m.span == 0 {
		return uint64(eight)*m.stride + uint64(k%8)*16 + uint64(k/8)*m.leading
	}
	pieces := m.span / 16
	return uint64(eight%pieces)*16 + uint64(eight/pieces)*m.leading + uint64(k%8)*uint64(m.span) + uint64(k/8)*m.stride
}

// factorBytes is the size of a row of a, or a column of b, of a dense product.
const factorBytes = 32

// readFactor copies a factor out of shared memory: lines of the given size, which are
// rows of a or columns of b.
func (c *warpContext) readFactor(f *warpgroupFactor, descriptor uint64, lines, lineBytes int, raw []byte) ([]byte, error) {
	if cap(raw) < lines*lineBytes {
		raw = make([]byte, lines*lineBytes)
	}
	raw = raw[:lines*lineBytes]
	m := decodeDescriptor(descriptor)
	if !f.transpose {
		if m.span != 0 && m.span < lineBytes {
			return raw, &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultMisaligned, Access: "matrix read", Address: m.start, Space: ptx.SpaceShared,
				Detail: fmt.Sprintf("a column of the sparse product's b has %d bytes along k, more than the %d of its descriptor's swizzle; the ISA gives such a layout no meaning (9.7.15.5.1)", lineBytes, m.span)}}
		}
		for line := range lines {
			for piece := range lineBytes / 16 {
				b, err := c.sharedPiece(m.place(m.alongK(line, piece)))
				if err != nil {
					return raw, err
				}
				copy(raw[line*lineBytes+16*piece:], b)
			}
		}
		return raw, nil
	}
	for eight := range lines / 8 {
		for k := range lineBytes / 2 {
			b, err := c.sharedPiece(m.place(m.acrossK(eight, k)))
			if err != nil {
				return raw, err
			}
			for e := range 8 {
				copy(raw[(8*eight+e)*lineBytes+2*k:], b[2*e:2*e+2])
			}
		}
	}
	return raw, nil
}

// sharedPiece gives 16 bytes of the block's shared memory.
func (c *warpContext) sharedPiece(at uint64) ([]byte, error) {
	b := c.identity.Block
	if b.Initialised == nil && b.Races == nil && at+16 <= uint64(len(b.Shared)) {
		return b.Shared[at : at+16], nil
	}
	return c.reachAt(&warpgroupAccess, 0, at, 16, 16)
}

var warpgroupAccess = accessOperation{space: ptx.SpaceShared, verb: "matrix read", bytes: 16}

// readFactors fills a step with the numbers of its factors.
func (c *warpContext) readFactors(k *warpgroupProduct, s *coexecution.WarpgroupStep) (err error) {
	whole := !k.factorB.typ.Float() && k.factorB.typ != ptx.E4M3 && k.factorB.typ != ptx.E5M2
	if len(k.a.registers) == 0 {
		if s.Raw, err = c.readFactor(&k.factorA, s.DescriptorA, 64, factorBytes, s.Raw); err != nil {
			return err
		}
		if whole {
			s.WholeA = words(s.WholeA, s.Raw)
		} else {
			row := k.packed()
			s.A = resized(s.A, 64*row)
			for i := range 64 {
				elements(k.factorA.typ, s.Raw[i*factorBytes:], s.A[i*row:][:row], 1)
			}
		}
	}
	column := k.bytesB()
	if s.Raw, err = c.readFactor(&k.factorB, s.DescriptorB, k.n, column, s.Raw); err != nil {
		return err
	}
	switch {
	case k.bits:
		s.WholeB = words(s.WholeB, s.Raw)
	case whole:
		s.ColumnsBytes = resized(s.ColumnsBytes, k.k*k.n)
		for i := range s.ColumnsBytes {
			s.ColumnsBytes[i] = byteOf(k.factorB.typ, s.Raw[i%k.n*column+i/k.n])
		}
	default:
		s.B = resized(s.B, k.k*k.n)
		for j := range k.n {
			elements(k.factorB.typ, s.Raw[j*column:], s.B[j:], k.n)
		}
	}
	return nil
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func words(into []uint32, raw []byte) []uint32 {
	into = resized(into, len(raw)/4)
	for i := range into {
		into[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return into
}

// byteOf is the value of an .s8 or .u8 element.
func byteOf(t ptx.Type, v byte) int32 {
	if t == ptx.S8 {
		return int32(int8(v))
	}
	return int32(v)
}

// elements writes the values of a line of floating-point numbers to places that lie so far apart.
func elements(t ptx.Type, line []byte, into []float32, apart int) {
	if t == ptx.F16 {
		for ; len(into) > 3*apart; into, line = into[min(4*apart, len(into)):], line[8:] {
			four := binary.LittleEndian.Uint64(line)
			into[0] = lanes.HalfValue(uint32(four) & 0xffff)
			into[apart] = lanes.HalfValue(uint32(four) >> 16)
			into[2*apart] = lanes.HalfValue(uint32(four>>32) & 0xffff)
			into[3*apart] = lanes.HalfValue(uint32(four >> 48))
		}
	}
	for i := 0; i*apart < len(into); i++ {
		into[i*apart] = elementOf(t, line, i)
	}
}

// elementOf is the value of element i of a line of floating-point numbers.
func elementOf(t ptx.Type, line []byte, i int) float32 {
	switch t {
	case ptx.F16:
		return lanes.HalfValue(uint32(binary.LittleEndian.Uint16(line[2*i:])))
	case ptx.BF16:
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(line[2*i:])) << 16)
	case ptx.E4M3:
		return quarterValues.e4m3[line[i]]
	case ptx.E5M2:
		return quarterValues.e5m2[line[i]]
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(line[4*i:]) &^ (1<<13 - 1)) // .tf32
}
