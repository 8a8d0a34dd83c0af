// SPDX-License-Identifier: Apache-2.0

package host

import "fmt"

// maxNesting is how many brackets may lie in each other in a host program: the parser
// takes some kilobytes of stack for each.
const maxNesting = 1000

// checkNesting refuses a program with too many brackets in each other. Brackets in
// strings and comments count as well, which no program that people write comes to.
func checkNesting(name string, text []byte) error {
	depth, line := 0, 1
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '\n':
			line++
		}
		if depth > maxNesting {
			return &Error{File: name, Line: line, Column: 1, Function: "<toplevel>", Err: fmt.Errorf("more than %d brackets lie in each other: put inner parts into variables", maxNesting)}
		}
	}
	return nil
}
