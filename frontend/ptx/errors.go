// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"errors"
	"sort"
	"strings"
)

// Error is one complaint about PTX text, with the rule that was broken or the
// remedy in its message.
type Error struct {
	Position
	Message string
}

func (e *Error) Error() string { return e.Position.String() + ": " + e.Message }

// ErrorList is what Parse returns for faulty text: all complaints, by position.
type ErrorList []*Error

func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders the list by line and column.
func (l ErrorList) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		if l[i].Line != l[j].Line {
			return l[i].Line < l[j].Line
		}
		return l[i].Column < l[j].Column
	})
}

// AsErrorList gives the complaints in err, if it came from Parse.
func AsErrorList(err error) (ErrorList, bool) {
	var l ErrorList
	ok := errors.As(err, &l)
	return l, ok
}
