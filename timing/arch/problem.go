// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one thing wrong with an architecture description.
type Problem struct {
	File         string
	Line, Column int // zero when the problem has no single place
	Message      string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Error is everything found wrong with an architecture description, in the
// order of the file.
type Error struct{ Problems []Problem }

// mostLines are printed; a file without a base may lack a hundred keys.
const mostLines = 10

// All lists every problem, a line each, where Error stops after ten.
func (e *Error) All() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (e *Error) Error() string {
	var lines []string
	for i, p := range e.Problems {
		if i == mostLines {
			lines = append(lines, fmt.Sprintf("%s: and %d more complaints; a file that only changes some keys of a machine begins with \"base: MACHINE\", an overlay with \"overlay: NAME\"",
				p.File, len(e.Problems)-mostLines))
			break
		}
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// problems collects what is wrong, so that one run reports it all.
type problems struct{ list []Problem }

func (p *problems) add(at Origin, format string, args ...any) {
	p.list = append(p.list, Problem{File: at.File, Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...)})
}

// err is nil when nothing is wrong.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	sort.SliceStable(p.list, func(i, j int) bool {
		a, b := p.list[i], p.list[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return &Error{Problems: p.list}
}
