// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
)

var registerTypes = []string{"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
	"f16", "f16x2", "bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "f32", "f64", "pred"}

// perType is the largest number of registers of a type; a matrix takes up to eight at once.
const perType = 9

// widths are the bits of the types, also of those that no register has.
var widths = map[string]int{"b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "e4m3x2": 16, "e5m2x2": 16,
	"b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64, "b128": 128, "f32x2": 64, "u16x2": 32, "s16x2": 32}

// alike are the register types that may stand for another one (9.4.1).
var alike = map[string][]string{
	"b8": {"u8", "s8"}, "u8": {"b8", "s8"}, "s8": {"b8", "u8"},
	"b16": {"u16", "s16", "f16", "bf16"}, "u16": {"b16", "s16"}, "s16": {"b16", "u16"}, "f16": {"b16"}, "bf16": {"b16"},
	"b32": {"u32", "s32", "f32", "f16x2", "bf16x2"}, "u32": {"b32", "s32"}, "s32": {"b32", "u32"}, "f32": {"b32"}, "f16x2": {"b32"}, "bf16x2": {"b32"},
	"b64": {"u64", "s64", "f64"}, "u64": {"b64", "s64"}, "s64": {"b64", "u64"}, "f64": {"b64"},
}

// Forms are legal instructions, by mnemonic. Their registers are named by type.
type Forms struct {
	names []string
	lines map[string][]string
	known map[string]bool
}

// separate are mnemonics that statements of their own draw, because they need more than registers and
// an address: barriers, asynchronous copies, and what ends or leads elsewhere.
var separate = strings.Fields("bar barrier bra brx call ret exit trap mbarrier cp tensormap wgmma setmaxnreg elect vote match shfl redux activemask addc subc madc brkpt mapa getctarank")

// ReadForms takes the instructions of a file with a line for each.
func ReadForms(text string) *Forms {
	f := &Forms{lines: map[string][]string{}, known: map[string]bool{}}
	for _, line := range strings.Split(text, "\n") {
		line = strings.Replace(line, "[%u64_0]", example, 1)
		name, _, _ := strings.Cut(strings.TrimSuffix(line, ";"), " ")
		if !strings.HasSuffix(line, ";") || strings.HasPrefix(line, ".") || strings.HasPrefix(line, "st.param") || strings.Contains(line, "param::func") || strings.HasSuffix(name, ":") {
			continue
		}
		op, _, _ := strings.Cut(name, ".")
		if slices.Contains(separate, op) || strings.Contains(name, ".async.") && (op == "st" || op == "red") {
			continue
		}
		if f.lines[op] == nil {
			f.names = append(f.names, op)
		}
		f.lines[op] = append(f.lines[op], line)
	}
	slices.Sort(f.names)
	return f
}

var prelude = func() string {
	return head + globals + fmt.Sprintf(".const .align 64 .b32 table[%d];\n.entry check(.param .align 32 .b8 blob[%d])\n{\n\t.local .align 32 .b8 depot[%d];\n", tableBytes/4, blobBytes, localBytes) + registers(perType, 0, 0)
}()

// legal reports whether the front end takes an instruction.
func (f *Forms) legal(line string) bool {
	ok, seen := f.known[line]
	if !seen {
		_, err := ptx.Parse("check.ptx", []byte(prelude+line+"\nret;\n}\n"))
		ok = err == nil
		f.known[line] = ok
	}
	return ok
}

var register = regexp.MustCompile(`%([a-z]+[0-9]*(?:x2|m3x2|m2x2)?)_[0-9]`)

var braces = regexp.MustCompile(`\{[^}]*\}`)

// fill replaces the registers of a line by others of the same type, or of one that may stand for it;
// vectors that are written have different ones.
func (g *generator) fill(line string, loose bool) string {
	pick := func(t string) string {
		if list := alike[t]; loose && len(list) > 0 && g.IntN(3) == 0 {
			t = list[g.IntN(len(list))]
		}
		return fmt.Sprintf("%%%s_%d", t, g.IntN(g.per))
	}
	fits := true
	line = braces.ReplaceAllStringFunc(line, func(v string) string {
		list := strings.Split(strings.Trim(v, "{}"), ", ")
		fits = fits && len(list) <= g.per
		order := g.Perm(g.per)
		for i := range list {
			m := register.FindStringSubmatch(list[i])
			if m == nil {
				continue
			}
			list[i] = fmt.Sprintf("\x01%s_%d", m[1], order[i%g.per])
		}
		return "{" + strings.Join(list, ", ") + "}"
	})
	if !fits {
		return ""
	}
	first := true
	line = register.ReplaceAllStringFunc(line, func(r string) string {
		t := register.FindStringSubmatch(r)[1]
		was := first
		first = false
		if t == "pred" {
			return fmt.Sprintf("%%pred_%d", g.IntN(g.per))
		}
		if loose && !was && g.IntN(8) == 0 {
			return g.immediate(t)
		}
		return pick(t)
	})
	return strings.ReplaceAll(line, "\x01", "%")
}

func (g *generator) immediate(t string) string {
	switch t {
	case "f32":
		return fmt.Sprintf("0f%08X", g.Uint32())
	case "f64":
		return fmt.Sprintf("0d%016X", g.Uint64())
	case "u64", "s64", "b64":
		return fmt.Sprint(g.Uint64() >> g.IntN(64))
	}
	return fmt.Sprint(g.Uint32() >> (g.IntN(28) + 1) & (1<<min(16, widths[t]-1) - 1))
}

// written fills a line, with all that is allowed at random; it is legal. Empty if nothing is.
func (g *generator) written(line string) string {
	for try := range 4 {
		text := g.fill(line, try < 3)
		if text == "" {
			return ""
		}
		if try < 3 {
			text = g.variants(text)
		}
		if g.forms.legal(text) {
			return text
		}
	}
	return ""
}

// variants writes a line with negated predicates, sinks, parts of registers and minus signs, where
// chance has it. Not all of it is legal.
func (g *generator) variants(text string) string {
	name, operands, ok := strings.Cut(text, " ")
	if !ok {
		return text
	}
	op, _, _ := strings.Cut(name, ".")
	if at := strings.LastIndex(operands, ", %pred_"); at >= 0 && g.IntN(2) == 0 {
		operands = operands[:at] + ", !" + operands[at+2:]
	}
	if at := strings.Index(operands, "|%pred_"); at >= 0 {
		switch g.IntN(4) {
		case 0: // without a second destination
			operands = operands[:at] + operands[at+len("|%pred_0"):]
		case 1:
			operands = operands[:at] + "|_" + operands[at+len("|%pred_0"):]
		}
	}
	if op == "ld" && strings.HasPrefix(operands, "{") {
		end := strings.Index(operands, "}")
		list := strings.Split(operands[1:end], ", ")
		for i := range list {
			if g.IntN(4) == 0 {
				list[i] = "_"
			}
		}
		operands = "{" + strings.Join(list, ", ") + operands[end:]
	}
	if op[0] == 'v' && op != "vote" {
		list := strings.Split(strings.TrimSuffix(operands, ";"), ", ")
		for i := range list {
			if strings.HasPrefix(list[i], "%") && !strings.Contains(list[i], ".") && g.IntN(3) == 0 {
				list[i] += []string{".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}[g.IntN(6)]
			}
			if i > 0 && op == "vmad" && g.IntN(4) == 0 {
				list[i] = "-" + list[i]
			}
		}
		operands = strings.Join(list, ", ") + ";"
	}
	return name + " " + operands
}
