// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"slices"
	"strings"
)

// setWord stands in a specification where an overlay could, and sets keys of the
// machine one by one: "gtx480+set(l1.bytes=32KiB)".
const setWord = "set"

// specPart is a machine or an overlay of a specification with its arguments.
type specPart struct {
	name      string
	text      string // as it was written, for messages and names
	arguments []argument
}

// argument is one NAME=VALUE between the parentheses of a part.
type argument struct{ name, value string }

// WithSettings adds settings, each KEY=VALUE with a dotted key, to a specification:
// the machine's values change after all overlays. The result says all that the
// machine is, so that it can stand where the specification stood.
func WithSettings(spec string, settings []string) string {
	if len(settings) == 0 {
		return spec
	}
	return spec + "+" + setWord + "(" + strings.Join(settings, ",") + ")"
}

// parseSpec takes a specification apart: MACHINE[+OVERLAY[(NAME=VALUE,...)]...].
func parseSpec(spec string) ([]specPart, error) {
	texts, err := splitSpec(spec)
	if err != nil {
		return nil, err
	}
	parts := make([]specPart, len(texts))
	for i, text := range texts {
		if parts[i], err = parseSpecPart(text); err != nil {
			return nil, err
		}
		if i == 0 && parts[i].arguments != nil && !slices.Contains(builtinNames("overlays"), parts[i].name) {
			return nil, fmt.Errorf("architecture %s: a machine takes no arguments; set its keys with %s+%s(KEY=VALUE)", spec, parts[i].name, setWord)
		}
	}
	return parts, nil
}

// splitSpec splits at each "+" outside parentheses.
func splitSpec(spec string) ([]string, error) {
	var parts []string
	first, depth := 0, 0
	for i := range len(spec) {
		switch c := spec[i]; {
		case c == '(' && depth == maxParentheses, c == ')' && depth == 0:
			return nil, fmt.Errorf("architecture %s: unexpected %q at character %d; write OVERLAY(NAME=VALUE,...)", spec, c, i+1)
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '+' && depth == 0:
			parts, first = append(parts, spec[first:i]), i+1
		}
	}
	if depth > 0 {
		return nil, fmt.Errorf("architecture %s: a parenthesis is not closed; in a shell, put the architecture in quotes", spec)
	}
	return append(parts, spec[first:]), nil
}

// maxParentheses are open at a time: those of an overlay, and of a value that is a
// Call.
const maxParentheses = 2

// splitList splits at each comma outside parentheses.
func splitList(list string) []string {
	var items []string
	first, depth := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				items, first = append(items, list[first:i]), i+1
			}
		}
	}
	return append(items, list[first:])
}

func parseSpecPart(text string) (specPart, error) {
	name, list, found := strings.Cut(text, "(")
	p := specPart{name: name, text: text}
	if !found {
		return p, nil
	}
	list, ok := strings.CutSuffix(list, ")")
	if !ok {
		return p, fmt.Errorf("%s: nothing may follow the parenthesis; put + before the next overlay", text)
	}
	given := map[string]bool{}
	for _, item := range splitList(list) {
		a, err := parseArgument(text, item)
		if err != nil {
			return p, err
		}
		if given[a.name] {
			return p, fmt.Errorf("%s: %s is given twice", text, a.name)
		}
		given[a.name] = true
		p.arguments = append(p.arguments, a)
	}
	return p, nil
}

func parseArgument(part, item string) (argument, error) {
	name, value, ok := strings.Cut(item, "=")
	a := argument{name: strings.TrimSpace(name), value: strings.TrimSpace(value)}
	if !ok || a.name == "" || a.value == "" {
		return a, fmt.Errorf("%s: expected NAME=VALUE, found %q", part, item)
	}
	if strings.ContainsRune(a.name, '(') {
		return a, fmt.Errorf("%s: unexpected '(' in front of %q", part, strings.TrimLeft(a.name, "("))
	}
	plain, list, call := strings.Cut(a.value, "(")
	if call {
		var closed bool
		if list, closed = strings.CutSuffix(list, ")"); !closed {
			return a, fmt.Errorf("%s: %s: nothing may follow the parenthesis of a value, found %q", part, a.name, a.value)
		}
	}
	if i := strings.IndexFunc(plain, notInValue); i >= 0 {
		return a, fmt.Errorf("%s: %s: a value has letters, digits and . _ - only, found %q", part, a.name, plain[i:])
	}
	if i := strings.IndexFunc(list, notInCall); i >= 0 {
		return a, fmt.Errorf("%s: %s: arguments are NAME=VALUE with commas between, found %q", part, a.name, list[i:])
	}
	return a, nil
}

// notInValue keeps YAML's own characters out of values.
func notInValue(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._-", r))
}

// notInCall is notInValue for the arguments of a Call.
func notInCall(r rune) bool { return r != ',' && r != '=' && notInValue(r) }

// document makes the argument a file of one key, whose origin is the part.
func (a *argument) document(part *specPart) (*document, error) {
	return parseDocument(part.text, []byte("value: "+a.value))
}
