// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
)

// argumentReader reads the arguments of a vprintf: in order, each at its own
// size and alignment, in memory of the thread (CUDA C++ ABI).
type argumentReader struct {
	c    *warpContext
	lane int
	at   uint64
	// strings is added to the addresses of strings.
	strings uint64
	// vectors says that formats have OpenCL C's vectors.
	vectors bool
}

func (r *argumentReader) next(bytes int) (uint64, error) {
	r.at = memory.AlignUp(r.at, uint64(bytes))
	b, err := r.c.genericBytes(r.lane, r.at, bytes, false)
	if err != nil {
		return 0, err
	}
	r.at += uint64(bytes)
	return lanes.LoadRaw(b, bytes), nil
}

// formatDevice renders a format of the device's printf (CUDA C++ Programming
// Guide, "Formatted Output": %[flags][width][.precision][size]type), and counts
// the arguments.
func formatDevice(format string, r *argumentReader) (string, int, error) {
	var out strings.Builder
	count := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		if i+1 < len(format) && format[i+1] == '%' {
			out.WriteByte('%')
			i++
			continue
		}
		s, end, err := scanSpecifier(format, i+1, r, &count)
		if err != nil {
			return "", 0, err
		}
		if end == len(format) { // no type: printed as it stands
			out.WriteString(format[i:])
			break
		}
		text, err := s.render(r)
		if err != nil {
			return "", 0, err
		}
		count++
		out.WriteString(text)
		i = end
	}
	return out.String(), count, nil
}

// specifier is one %... of a format.
type specifier struct {
	flags, width string
	precision    string // with its point
	wide         bool   // "l", "ll", "z", "j", "t": 64 bits
	short        int    // number of "h"
	vector       int    // elements of a vector, zero for none
	verb         byte
}

// maxPadding bounds width and precision.
const maxPadding = 4096

// scanSpecifier reads a specifier from position i on; end is the place of its
// type, len(format) if there is none.
func scanSpecifier(format string, i int, r *argumentReader, count *int) (s specifier, end int, err error) {
	start := i
	for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
		i++
	}
	s.flags = format[start:i]
	number := func() (string, error) {
		if i < len(format) && format[i] == '*' {
			i++
			*count++
			v, err := r.next(4)
			return fmt.Sprint(max(-maxPadding, min(int32(v), maxPadding))), err
		}
		first := i
		for i < len(format) && format[i] >= '0' && format[i] <= '9' {
			i++
		}
		if i-first > 4 {
			return fmt.Sprint(maxPadding), nil
		}
		return format[first:i], nil
	}
	if s.width, err = number(); err != nil {
		return s, i, err
	}
	if i < len(format) && format[i] == '.' {
		i++
		if s.precision, err = number(); err != nil {
			return s, i, err
		}
		if s.precision = "." + s.precision; strings.HasPrefix(s.precision, ".-") {
			s.precision = "" // as if there were none
		}
	}
	if r.vectors && i < len(format) && format[i] == 'v' {
		first := i + 1
		for i++; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
		}
		s.vector, _ = strconv.Atoi(format[first:i])
		s.vector = min(s.vector, maxVector)
	}
	for i < len(format) && strings.IndexByte("hlLqjzt", format[i]) >= 0 {
		s.wide = s.wide || format[i] != 'h' && format[i] != 'L'
		if format[i] == 'h' {
			s.short++
		}
		i++
	}
	if i < len(format) {
		s.verb = format[i]
	}
	return s, i, nil
}

// render reads the argument and prints it as C does.
func (s *specifier) render(r *argumentReader) (string, error) {
	if s.vector > 0 {
		return s.renderVector(r)
	}
	switch s.verb {
	case 'd', 'i', 'u', 'x', 'X', 'o':
		return s.renderInteger(r)
	case 'c':
		v, err := r.next(4)
		return s.pad("", string([]byte{byte(v)}), false), err
	case 'p':
		v, err := r.next(8)
		return s.pad("0x", strconv.FormatUint(v, 16), s.zeros()), err
	case 's':
		v, err := r.next(8)
		if err != nil {
			return "", err
		}
		text, err := r.c.genericString(r.lane, r.strings+v)
		if n, cut := s.digits(); cut && n < len(text) {
			text = text[:n]
		}
		return s.pad("", text, false), err
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		v, err := r.next(8)
		return s.float(math.Float64frombits(v)), err
	}
	return "%" + s.flags + s.width + s.precision + string(s.verb), nil
}

func (s *specifier) renderInteger(r *argumentReader) (string, error) {
	bytes := 4
	if s.wide {
		bytes = 8
	}
	v, err := r.next(bytes)
	if err != nil {
		return "", err
	}
	return s.integer(v, bytes), nil
}

// maxVector is the most elements of a vector.
const maxVector = 16

// renderVector prints the elements of a vector with commas between them. Their size is
// that of "hh", "h", "hl" or "l" (OpenCL C 1.2, 6.12.13.2); three elements take the room
// of four.
func (s *specifier) renderVector(r *argumentReader) (string, error) {
	bytes := 4
	switch {
	case s.short > 0 && s.wide: // "hl"
	case s.wide:
		bytes = 8
	case s.short > 0:
		bytes = 4 >> min(s.short, 2)
	}
	room := s.vector
	if room == 3 {
		room = 4
	}
	r.at = memory.AlignUp(r.at, uint64(1)<<(mathbits.Len(uint(room*bytes))-1))
	one := specifier{flags: s.flags, width: s.width, precision: s.precision, verb: s.verb}
	var parts []string
	for i := range room {
		v, err := r.next(bytes)
		if err != nil {
			return "", err
		}
		if i >= s.vector {
			continue
		}
		switch s.verb {
		case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
			f := math.Float64frombits(v)
			if bytes == 4 {
				f = float64(math.Float32frombits(uint32(v)))
			} else if bytes == 2 {
				f = lanes.Half.Decode(v)
			}
			parts = append(parts, one.float(f))
		case 'd', 'i':
			parts = append(parts, one.integer(uint64(lanes.Extend(v, 8*bytes, true)), 8))
		default:
			parts = append(parts, one.integer(v, 8))
		}
	}
	return strings.Join(parts, ","), nil
}
