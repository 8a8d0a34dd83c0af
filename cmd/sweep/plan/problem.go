// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/warptape/warptape/cmd/internal/suggestion"
)

// Error is everything found wrong with a plan, in the order of the file.
type Error struct {
	File     string
	Problems []Problem
}

// Problem is one thing wrong at a place; Line is zero when it has none.
type Problem struct {
	Line, Column int
	Message      string
}

// mostLines of an error are printed.
const mostLines = 10

func (e *Error) Error() string {
	var lines []string
	for i, p := range e.Problems {
		if i == mostLines {
			lines = append(lines, fmt.Sprintf("%s: and %d more complaints", e.File, len(e.Problems)-mostLines))
			break
		}
		if p.Line == 0 {
			lines = append(lines, e.File+": "+p.Message)
		} else {
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", e.File, p.Line, p.Column, p.Message))
		}
	}
	return strings.Join(lines, "\n")
}

// problems collects what is wrong, so that one run reports it all.
type problems struct {
	file string
	list []Problem
}

func (p *problems) add(at ast.Node, format string, args ...any) {
	problem := Problem{Message: fmt.Sprintf(format, args...)}
	if at != nil && at.GetToken() != nil && at.GetToken().Position != nil {
		problem.Line, problem.Column = at.GetToken().Position.Line, at.GetToken().Position.Column
	}
	p.list = append(p.list, problem)
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return &Error{File: p.file, Problems: p.list}
}

// didYouMean is the tail of a message about an unknown word.
func didYouMean(word string, known []string) string { return suggestion.For(word, known) }
