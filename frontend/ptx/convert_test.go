// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// convertSyntax decides from the prose of 9.7.9.21 whether a cvt between two
// scalar types may have these modifiers.
type convertSyntax struct {
	to, from                  string
	rounding                  string // "" for none
	ftz, sat, relu, satfinite bool
}

func floatingPoint(t string) bool { return strings.Contains(t, "f") }

// precisionLost: some number of the type from is none of the type to.
func precisionLost(to, from string) bool {
	digits := map[string]int{"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
	largest := map[string]int{"f16": 15, "bf16": 127, "f32": 127, "f64": 1023}
	return digits[to] < digits[from] || largest[to] < largest[from]
}

func (c *convertSyntax) legal() bool {
	if c.rounding == "rna" { // of .tf32 alone
		return false
	}
	integerRounding := len(c.rounding) == 3
	toFloat, fromFloat := floatingPoint(c.to), floatingPoint(c.from)
	if c.relu || c.satfinite || c.to == "bf16" && c.from == "f32" {
		// cvt.frnd2{.relu}{.satfinite}.{f16,bf16}.f32
		return (c.to == "f16" || c.to == "bf16") && c.from == "f32" && (c.rounding == "rn" || c.rounding == "rz") && !c.ftz && !c.sat
	}
	if c.ftz && c.to != "f32" && c.from != "f32" || c.sat && c.to == "bf16" {
		return false
	}
	switch {
	case !toFloat && fromFloat:
		return integerRounding
	case toFloat && !fromFloat, toFloat && precisionLost(c.to, c.from):
		return c.rounding != "" && !integerRounding
	case toFloat && c.to == c.from:
		return c.rounding == "" || integerRounding
	}
	return c.rounding == ""
}

// tolerated are combinations that PTX does not allow, but that say without
// doubt what is meant. They are .sat where a number cannot be beyond the range,
// or of .bf16 as of the other formats, and .ftz without single precision.
func (c *convertSyntax) tolerated() bool {
	narrowed := floatingPoint(c.from) && precisionLost(c.to, c.from)
	return c.sat && c.to == "bf16" && narrowed || c.ftz && c.to == "f16" && c.from == "f16"
}

func (c *convertSyntax) line() string {
	text := "cvt"
	for _, part := range []struct {
		present bool
		suffix  string
	}{{c.rounding != "", c.rounding}, {c.relu, "relu"}, {c.satfinite, "satfinite"}, {c.ftz, "ftz"}, {c.sat, "sat"}} {
		if part.present {
			text += "." + part.suffix
		}
	}
	return fmt.Sprintf("%s.%s.%s %s, %s;\n", text, c.to, c.from, convertRegister(c.to, "1"), convertRegister(c.from, "2"))
}

func convertRegister(t, number string) string {
	switch {
	case strings.HasSuffix(t, "64"):
		return "%d" + number
	case strings.HasSuffix(t, "32"):
		return "%r" + number
	}
	return "%h" + number
}

func convertCombinations() []convertSyntax {
	types := strings.Fields("u8 u16 u32 u64 s8 s16 s32 s64 bf16 f16 f32 f64")
	roundings := append([]string{""}, strings.Fields("rn rz rm rp rni rzi rmi rpi rna")...)
	var all []convertSyntax
	for _, to := range types {
		for _, from := range types {
			for _, rounding := range roundings {
				for flags := range 16 {
					all = append(all, convertSyntax{to, from, rounding, flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0})
				}
			}
		}
	}
	return all
}

const convertHead = ".version 8.6\n.target sm_100\n.address_size 64\n.entry k() {\n.reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>;\n"

func TestConversionsAreLegalWhereTheManualSaysSo(t *testing.T) {
	legal := convertHead
	var illegal []string
	for _, c := range convertCombinations() {
		switch {
		case c.legal():
			legal += c.line()
		case !c.tolerated():
			illegal = append(illegal, c.line())
		}
	}
	if _, err := Parse("legal.ptx", []byte(legal+"ret; }\n")); err != nil {
		t.Error(err)
	}
	for len(illegal) > 0 {
		n := min(len(illegal), maxErrors)
		refusedLines(t, illegal[:n])
		illegal = illegal[n:]
	}
}

// refusedLines checks that each line is refused.
func refusedLines(t *testing.T, lines []string) {
	t.Helper()
	_, err := Parse("illegal.ptx", []byte(convertHead+strings.Join(lines, "")+"ret; }\n"))
	list, _ := AsErrorList(err)
	refused := make(map[int]bool)
	for _, e := range list {
		refused[e.Line-strings.Count(convertHead, "\n")-1] = true
	}
	for i, line := range lines {
		if !refused[i] {
			t.Errorf("taken: %s", strings.TrimSpace(line))
		}
	}
}
