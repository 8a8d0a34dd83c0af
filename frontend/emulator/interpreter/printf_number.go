// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// Numbers are written as C writes them (C17, 7.21.6.1), which is not always as Go does: zeros stand between a prefix and the digits, and
// belong to the width.

func (s *specifier) flag(c string) bool { return strings.Contains(s.flags, c) }

// zeros reports whether zeros fill the width of a number.
func (s *specifier) zeros() bool {
	return s.flag("0") && !s.flag("-") && !strings.HasPrefix(s.width, "-")
}

// digits is the precision; false where there is none.
func (s *specifier) digits() (int, bool) {
	if s.precision == "" {
		return 0, false
	}
	n, _ := strconv.Atoi(s.precision[1:]) // a point alone is zero
	return n, true
}

// pad fills the width of a text, which stands behind its sign and prefix.
func (s *specifier) pad(front, text string, zeros bool) string {
	width, _ := strconv.Atoi(s.width)
	left := s.flag("-") || width < 0
	missing := max(width, -width) - len(front) - len(text)
	switch {
	case missing <= 0:
		return front + text
	case left:
		return front + text + strings.Repeat(" ", missing)
	case zeros:
		return front + strings.Repeat("0", missing) + text
	}
	return strings.Repeat(" ", missing) + front + text
}

// sign stands in front of a signed number.
func (s *specifier) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.flag("+"):
		return "+"
	case s.flag(" "):
		return " "
	}
	return ""
}

// integer writes an integer that was read from so many bytes.
func (s *specifier) integer(v uint64, bytes int) string {
	bits := 8 * bytes >> min(s.short, 2)
	front, base := "", 10
	switch s.verb {
	case 'd', 'i':
		x := int64(lanes.Extend(v, bits, true))
		if front, v = s.sign(x < 0), uint64(x); x < 0 {
			v = -v
		}
	case 'x', 'X':
		v, base = truncate(v, bits), 16
		if s.flag("#") && v != 0 {
			front = "0" + string(s.verb)
		}
	case 'o':
		v, base = truncate(v, bits), 8
	default:
		v = truncate(v, bits)
	}
	text := strconv.FormatUint(v, base)
	least, precise := s.digits()
	if precise && least == 0 && v == 0 {
		text = ""
	}
	text = strings.Repeat("0", max(least-len(text), 0)) + text
	if s.verb == 'o' && s.flag("#") && !strings.HasPrefix(text, "0") {
		text = "0" + text
	}
	if s.verb == 'X' {
		text = strings.ToUpper(text)
	}
	return s.pad(front, text, s.zeros() && !precise)
}

// float writes a floating-point number. A NaN has no minus sign: which sign results have PTX does not say.
func (s *specifier) float(v float64) string {
	front := s.sign(math.Signbit(v) && v == v)
	if v = math.Abs(v); math.IsInf(v, 0) || v != v {
		text := "inf"
		if v != v {
			text = "nan"
		}
		if s.verb < 'a' {
			text = strings.ToUpper(text)
		}
		return s.pad(front, text, false)
	}
	verb, precision := s.verb, s.precision
	switch verb {
	case 'a', 'A':
		verb += 'x' - 'a'
	default:
		if n, precise := s.digits(); !precise {
			precision = ".6"
		} else if n == 0 && (verb == 'g' || verb == 'G') {
			precision = ".1"
		}
	}
	if precision == "." {
		precision = ".0"
	}
	alternate := ""
	if s.flag("#") {
		alternate = "#"
	}
	text := fmt.Sprintf("%"+alternate+precision+string(verb), v)
	if verb == 'x' || verb == 'X' { // C writes an exponent of any length
		text = strings.NewReplacer("p+0", "p+", "p-0", "p-", "P+0", "P+", "P-0", "P-").Replace(text)
		front, text = front+text[:2], text[2:]
	}
	return s.pad(front, text, s.zeros())
}
