// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// By segments, the entry switch has to lead to every basic block, and labels inside of braces
// are known inside only. In both modes the begin of a kernel names all its variables. So
// braces are taken out of bodies first, what was declared between them gets names of its own,
// and variables are declared where the body begins.

// flattened gives kernels of the module without inner braces; the same kernels if nothing
// inside of such has to be known outside. Instructions, registers, variables and lines stay
// in their order.
func flattened(kernels []*contaminator.Kernel, mode Mode) ([]*contaminator.Kernel, error) {
	m := kernels[0].PTX.Module
	s := newSource(m.Text)
	if !declaredLate(kernels, s) && (mode == Straight || !beginsInside(kernels, s) && !registersLate(kernels, s) && !multiplies(kernels) && !meets(kernels)) {
		return kernels, nil
	}
	flat, err := ptx.Parse(m.File, flattenText(m.Text))
	if err != nil {
		return nil, fmt.Errorf("%s: BUG: without braces it is no PTX: %w", m.File, err)
	}
	var list []*contaminator.Kernel
	for _, k := range kernels {
		var same *contaminator.Kernel
		for _, f := range flat.Kernels {
			if f.Name == k.PTX.Name {
				if same, err = contaminator.Contaminate(f); err != nil {
					return nil, err
				}
			}
		}
		if same == nil || !alike(k, same) {
			return nil, fmt.Errorf("%s: BUG: without braces kernel %s is another one", k.PTX.Position, k.PTX.Name)
		}
		list = append(list, same)
	}
	return list, nil
}

// declaredLate reports whether a kernel has a variable behind its first instruction.
func declaredLate(kernels []*contaminator.Kernel, s *source) bool {
	for _, k := range kernels {
		first := s.offset(k.PTX.Body[0].Position)
		for _, l := range k.PTX.Code.Labels { // what is added to the begin stands before labels, too
			if l.Index == 0 {
				first = min(first, s.offset(l.Position))
			}
		}
		for _, v := range ownVariables(k) {
			if (v.Space == ptx.SpaceShared || v.Space == ptx.SpaceLocal) && s.offset(v.Position) > first {
				return true
			}
		}
	}
	return false
}

// registersLate reports whether a body declares registers behind its first instruction, outside of
// inner braces: the entry switch before it names them.
func registersLate(kernels []*contaminator.Kernel, s *source) bool {
	for _, k := range kernels {
		for _, u := range k.Units {
			at := k.PTX.Position
			if u.PTX.Function != nil {
				at = u.PTX.Function.Position
			}
			brace := s.skip(s.offset(at), '{')
			depths, from := s.depths(brace), s.offset(k.PTX.Body[u.PTX.First].Position)
			for _, m := range lateRegisters().FindAllIndex(s.text[from:max(s.closing(brace), from)], -1) {
				if depths(from+m[1]) == 1 {
					return true
				}
			}
		}
	}
	return false
}

var lateRegisters = pattern(`(?:[;:]|\n)\s*\.reg\b`)

// beginsInside reports whether a basic block begins inside of braces of its own.
func beginsInside(kernels []*contaminator.Kernel, s *source) bool {
	for _, k := range kernels {
		unit, depths := -1, func(int) int { return 0 }
		for i := range k.Segments {
			if u := k.Segments[i].Unit; u != unit {
				unit = u
				at := k.PTX.Position
				if f := k.Units[u].PTX.Function; f != nil {
					at = f.Position
				}
				depths = s.depths(s.skip(s.offset(at), '{'))
			}
			if depths(s.offset(k.PTX.Body[k.Segments[i].First].Position)) > 1 {
				return true
			}
		}
	}
	return false
}

// alike reports whether two kernels have the same instructions with the same registers.
func alike(a, b *contaminator.Kernel) bool {
	if len(a.PTX.Body) != len(b.PTX.Body) || len(a.Segments) != len(b.Segments) || len(a.PTX.Module.Variables) != len(b.PTX.Module.Variables) {
		return false
	}
	from, to := layoutOf(a), layoutOf(b)
	if len(from) != len(to) {
		return false
	}
	for i, v := range from {
		if w := to[i]; v.Space != w.Space || v.Bytes != w.Bytes || v.Align != w.Align || !strings.HasPrefix(w.Name, v.Name) {
			return false
		}
	}
	for i := range a.PTX.Body {
		x, y := &a.PTX.Body[i], &b.PTX.Body[i]
		if x.Op != y.Op || x.Line != y.Line || len(x.Operands) != len(y.Operands) || !sameRegister(x.Guard.Register, y.Guard.Register) {
			return false
		}
		for n := range x.Operands {
			if !sameOperand(&x.Operands[n], &y.Operands[n]) {
				return false
			}
		}
	}
	return true
}

func sameOperand(a, b *ptx.Operand) bool {
	if a.Kind != b.Kind || !sameRegister(a.Register, b.Register) || len(a.Elements) != len(b.Elements) ||
		(a.Label == nil) != (b.Label == nil) || a.Label != nil && a.Label.Index != b.Label.Index {
		return false
	}
	for i := range a.Elements {
		if !sameOperand(&a.Elements[i], &b.Elements[i]) {
			return false
		}
	}
	return true
}

func sameRegister(a, b *ptx.Register) bool {
	return a == b || a != nil && b != nil && a.Index == b.Index && a.Type == b.Type
}

// passedOver is what is between the tokens of a statement: comments, and lines that tell of the
// source (.loc, .file), which no semicolon ends.
const passedOver = `\.(?:loc|file)\b[^\n]*|//[^\n]*|/\*(?s:.*?)\*/`

// token is a word, a brace, a colon or a semicolon of PTX; the rest is of no interest.
var token = regexp.MustCompile(passedOver + `|"(?:\\.|[^"\\])*"|[%$\w]+(?:<\s*\d+\s*>)?|[^\s]`)

// innerScope is what stands between inner braces.
type innerScope struct {
	suffix string // of its names outside
	names  map[string]bool
	ranges map[string]int // %r of %r<4>, and how many there are
}

// declaration is a statement that declares names in a body.
var declaration = regexp.MustCompile(`^\s*\.(reg|local|shared|param)\b`)

// flattenText takes inner braces out of bodies.
func flattenText(text []byte) []byte {
	scopes := innerScopes(text)
	var out bytes.Buffer
	var open []*innerScope
	at, depth := 0, 0
	walkBraces(text, func(from, to int, what braceKind) {
		out.Write(text[at:from])
		at = to
		word := string(text[from:to])
		switch what {
		case outerOpen, outerClose:
			out.WriteString(word)
		case innerOpen:
			open = append(open, scopes[depth])
			depth++
			out.WriteByte(' ')
		case innerClose:
			open = open[:len(open)-1]
			out.WriteByte(' ')
		default:
			out.WriteString(rename(word, open))
		}
	})
	out.Write(text[at:])
	return hoisted(out.Bytes())
}

var (
	// headDeclaration is one with which a body begins, late finds those behind.
	headDeclaration = regexp.MustCompile(`^(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/|\.(?:loc|file)\b[^\n]*\n)*\.(?:reg|local|shared|param)\b[^;]*;`)
	late            = regexp.MustCompile(`(?:^|[;:\n])[ \t\r]*(\.(?:reg|local|shared)\b[^;]*)`)
)

// blank makes spaces of all but the ends of lines.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// hoisted puts the declarations of bodies to their begin.
func hoisted(text []byte) []byte {
	var out bytes.Buffer
	at, open := 0, 0
	walkBraces(text, func(from, to int, what braceKind) {
		switch what {
		case outerOpen:
			out.Write(text[at:to])
			at, open = to, to
		case outerClose:
			body := text[open:from]
			head := 0
			for m := headDeclaration.FindIndex(body); m != nil; m = headDeclaration.FindIndex(body[head:]) {
				head += m[1]
			}
			out.Write(body[:head])
			body = body[head:]
			for _, m := range late.FindAllSubmatchIndex(body, -1) {
				if m[3] == len(body) {
					continue // no semicolon: no declaration
				}
				out.WriteByte(' ')
				out.Write(bytes.Join(bytes.Fields(comments.ReplaceAll(body[m[2]:m[3]], nil)), []byte(" ")))
				out.WriteByte(';')
				blank(body[m[2] : m[3]+1])
			}
			out.Write(body)
			at = from
		}
	})
	out.Write(text[at:])
	return out.Bytes()
}

// rename gives a word the name that it has outside of the scopes around it.
func rename(word string, open []*innerScope) string {
	for i := len(open) - 1; i >= 0; i-- {
		s := open[i]
		if name, count, ranged := strings.Cut(word, "<"); ranged && s.ranges[name] > 0 {
			return name + s.suffix + "_<" + count
		}
		if s.names[word] {
			return word + s.suffix
		}
		digits := len(word)
		for digits > 0 && word[digits-1] >= '0' && word[digits-1] <= '9' {
			digits--
		}
		if n, err := strconv.Atoi(word[digits:]); err == nil && n < s.ranges[word[:digits]] {
			return word[:digits] + s.suffix + "_" + word[digits:]
		}
	}
	return word
}

// braceKind says what a token is.
type braceKind int

const (
	wordToken braceKind = iota
	outerOpen
	outerClose
	innerOpen
	innerClose
)

// walkBraces shows the words of a text and the braces of bodies and of scopes inside of
// them, but not those of vectors and lists.
func walkBraces(text []byte, show func(from, to int, what braceKind)) {
	depth, list := 0, 0
	before := byte(0) // the character before, without comments
	for _, at := range token.FindAllIndex(text, -1) {
		t := text[at[0]:at[1]]
		if bytes.HasPrefix(t, []byte("//")) || bytes.HasPrefix(t, []byte("/*")) || t[0] == '.' && len(t) > 1 {
			continue
		}
		switch {
		case t[0] == '{' && depth == 0 && before != ')' && !isWord(before):
			list++ // of an initialiser
		case t[0] == '{' && list > 0, t[0] == '{' && depth > 0 && !strings.ContainsRune(";{}:", rune(before)):
			list++
		case t[0] == '{':
			show(at[0], at[1], map[bool]braceKind{true: outerOpen, false: innerOpen}[depth == 0])
			depth++
		case t[0] == '}' && list > 0:
			list--
		case t[0] == '}' && depth > 0:
			depth--
			show(at[0], at[1], map[bool]braceKind{true: outerClose, false: innerClose}[depth == 0])
		case isWord(t[0]) && depth > 0 && before != '.':
			show(at[0], at[1], wordToken)
		}
		if before = t[len(t)-1]; t[0] == '}' && list > 0 {
			before = ','
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '%' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// innerScopes lists what inner scopes declare, in the order in which they begin. Their
// suffixes make names that the text does not have.
func innerScopes(text []byte) (list []*innerScope) {
	tag := "_scope"
	for bytes.Contains(text, []byte(tag)) {
		tag += "_"
	}
	type opened struct {
		scope *innerScope
		from  int // where its own text goes on
		own   bytes.Buffer
	}
	var stack []*opened
	walkBraces(text, func(from, to int, what braceKind) {
		switch what {
		case outerOpen, innerOpen:
			if n := len(stack); n > 0 {
				stack[n-1].own.Write(text[stack[n-1].from:from])
			}
			o := &opened{scope: &innerScope{suffix: tag + strconv.Itoa(len(list)+1), names: map[string]bool{}, ranges: map[string]int{}}, from: to}
			if what == innerOpen {
				list = append(list, o.scope)
			}
			stack = append(stack, o)
		case outerClose, innerClose:
			n := len(stack) - 1
			stack[n].own.Write(text[stack[n].from:from])
			stack[n].scope.declare(stack[n].own.String())
			if stack = stack[:n]; n > 0 {
				stack[n-1].from = to
				stack[n-1].own.WriteByte(';') // a scope is a statement
			}
		}
	})
	return list
}

var (
	comments = regexp.MustCompile(passedOver)
	label    = regexp.MustCompile(`^\s*([%$\w]+)\s*:(?:[^:]|$)`)
	declared = regexp.MustCompile(`([%$\w]+)\s*(?:<\s*(\d+)\s*>|\[[^\]]*\])?\s*(?:=.*)?$`)
)

// declare takes the names that a scope's own text declares.
func (s *innerScope) declare(own string) {
	for _, statement := range strings.Split(comments.ReplaceAllString(own, ""), ";") {
		for {
			at := label.FindStringSubmatchIndex(statement)
			if at == nil {
				break
			}
			s.names[statement[at[2]:at[3]]] = true
			statement = statement[at[3]+strings.IndexByte(statement[at[3]:], ':')+1:]
		}
		if !declaration.MatchString(statement) {
			continue
		}
		for _, part := range strings.Split(statement, ",") {
			m := declared.FindStringSubmatch(strings.TrimSpace(part))
			switch {
			case m == nil:
			case m[2] != "":
				s.ranges[m[1]], _ = strconv.Atoi(m[2])
			default:
				s.names[m[1]] = true
			}
		}
	}
}
