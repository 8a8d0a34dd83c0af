// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// place is where a statement stands in its module: kernels that call the same function
// have a copy of it each, at one place.
type place struct{ line, column int }

// Numbering gives the statements of a module's kernels numbers that the log names them by.
type Numbering struct {
	numbers map[place]int
	places  []place
}

// number lists the statements of kernels in the order of the text.
func number(kernels []*contaminator.Kernel) *Numbering {
	n := &Numbering{numbers: map[place]int{}}
	for _, k := range kernels {
		for i := range k.PTX.Body {
			at := place{k.PTX.Body[i].Line, k.PTX.Body[i].Column}
			if _, ok := n.numbers[at]; !ok {
				n.numbers[at] = 0
				n.places = append(n.places, at)
			}
		}
	}
	sort.Slice(n.places, func(i, j int) bool {
		a, b := n.places[i], n.places[j]
		return a.line < b.line || a.line == b.line && a.column < b.column
	})
	for i, at := range n.places {
		n.numbers[at] = i
	}
	return n
}

// Of is the number of an instruction.
func (n *Numbering) Of(in *ptx.Instruction) int { return n.numbers[place{in.Line, in.Column}] }

// Count is one more than the highest number.
func (n *Numbering) Count() int { return len(n.places) }

// source finds places in a module's text.
type source struct {
	text  []byte
	lines []int // offset of each line
}

func newSource(text []byte) *source {
	s := &source{text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

func (s *source) offset(p ptx.Position) int {
	if p.Line < 1 || p.Line > len(s.lines) {
		return len(s.text)
	}
	return min(s.lines[p.Line-1]+p.Column-1, len(s.text))
}

// span is where an instruction stands, from its guard to behind its semicolon.
func (s *source) span(in *ptx.Instruction) (from, to int, err error) {
	at := s.offset(in.Position)
	if !bytes.HasPrefix(s.text[at:], []byte(in.Op.String())) {
		return 0, 0, fmt.Errorf("%s: BUG: the text has no %s there", in.Position, in.Op)
	}
	from, to = at, s.skip(at, ';')+1
	if in.Guard.Register != nil {
		from = bytes.LastIndexByte(s.text[:at], '@')
	}
	return from, min(to, len(s.text)), nil
}

// skip finds a character from an offset on that is not in a comment.
func (s *source) skip(at int, c byte) int {
	for at < len(s.text) {
		switch {
		case bytes.HasPrefix(s.text[at:], []byte("//")):
			at = s.after(at, "\n")
		case bytes.HasPrefix(s.text[at:], []byte("/*")):
			at = s.after(at+2, "*/")
		case s.text[at] == c:
			return at
		default:
			at++
		}
	}
	return at
}

// after is the offset behind the next occurrence of a string.
func (s *source) after(at int, what string) int {
	if n := bytes.Index(s.text[at:], []byte(what)); n >= 0 {
		return at + n + len(what)
	}
	return len(s.text)
}

// depths gives a function that tells how many braces are open at an offset, from the given
// one on; offsets must come in ascending order.
func (s *source) depths(from int) func(at int) int {
	depth := 0
	return func(at int) int {
		for from < at {
			switch {
			case bytes.HasPrefix(s.text[from:], []byte("//")):
				from = s.after(from, "\n")
			case bytes.HasPrefix(s.text[from:], []byte("/*")):
				from = s.after(from+2, "*/")
			default:
				switch s.text[from] {
				case '{':
					depth++
				case '}':
					depth--
				}
				from++
			}
		}
		return depth
	}
}

// closing is where the brace stands that closes the one at an offset.
func (s *source) closing(brace int) int {
	depth := 0
	for at := brace; at < len(s.text); at++ {
		switch {
		case bytes.HasPrefix(s.text[at:], []byte("//")):
			at = s.after(at, "\n") - 1
		case bytes.HasPrefix(s.text[at:], []byte("/*")):
			at = s.after(at+2, "*/") - 1
		case s.text[at] == '{':
			depth++
		case s.text[at] == '}':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return len(s.text) - 1
}

// find finds a string from an offset on that is not in a comment.
func (s *source) find(at int, what string) int {
	for at < len(s.text) {
		switch {
		case bytes.HasPrefix(s.text[at:], []byte("//")):
			at = s.after(at, "\n")
		case bytes.HasPrefix(s.text[at:], []byte("/*")):
			at = s.after(at+2, "*/")
		case bytes.HasPrefix(s.text[at:], []byte(what)):
			return at
		default:
			at++
		}
	}
	return len(s.text)
}

// declarationEnd is where a function's declaration ends that begins before an offset: at a
// brace, a semicolon, or the directive behind, since some compilers leave the semicolon out.
func (s *source) declarationEnd(at int) int {
	end := min(s.skip(at, '{'), s.skip(at, ';'))
	if next := nextDirective.FindIndex(s.text[at:end]); next != nil {
		return at + next[0]
	}
	return end
}

var nextDirective = regexp.MustCompile(`\.(visible|weak|extern|func|entry|global|const|shared)\b`)

// declares reports whether a function's declaration has a name.
func declares(declaration []byte, name string) bool {
	for _, word := range token.FindAll(declaration, -1) {
		if string(word) == name {
			return true
		}
	}
	return false
}
