// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Call is a word with arguments, as a key may hold that says which policy a part
// follows: "stride(degree=2,entries=64)".
type Call struct {
	Word string
	// Arguments by name: those that were given, and the defaults of the others.
	Arguments map[string]int
}

// CallParameter describes an argument of a word.
type CallParameter struct {
	Name, Unit string
	// Min to Max is its range, Default what it is when it is not given.
	Min, Max, Default int
	PowerOfTwo        bool
	// About says what it does, and Source where the default comes from.
	About, Source string
}

// expects says what the argument may be.
func (c *CallParameter) expects() string {
	if c.PowerOfTwo {
		return fmt.Sprintf("a power of two of %s, %d..%d", c.Unit, c.Min, c.Max)
	}
	return fmt.Sprintf("%s, %d..%d", c.Unit, c.Min, c.Max)
}

// calls are the parameters of the words of keys that hold calls, by key and word.
var calls = map[string]map[string][]CallParameter{}

// RegisterCall adds a word with its parameters to those that a key may hold. The key
// has to hold words; a word that it holds already, or a default out of its range, is
// a programming error and panics.
func RegisterCall(key, word string, parameters []CallParameter) {
	if calls[key] == nil {
		calls[key] = map[string][]CallParameter{}
	}
	if _, taken := calls[key][word]; taken {
		panic(fmt.Sprintf("BUG: %q is registered twice as a word of the architecture key %q", word, key))
	}
	for i := range parameters {
		if err := parameters[i].check(parameters[i].Default); err != nil {
			panic(fmt.Sprintf("BUG: %s: the default of %s(%s): %v", key, word, parameters[i].Name, err))
		}
	}
	RegisterWord(key, word)
	calls[key][word] = parameters
}

// ParseCall reads the value of a key that holds calls. The error says what was
// expected.
func ParseCall(key, value string) (Call, error) {
	word, list, found := strings.Cut(value, "(")
	c := Call{Word: strings.TrimSpace(word), Arguments: map[string]int{}}
	l := machineSchema.byPath[key]
	if l == nil || l.words == nil {
		return c, fmt.Errorf("BUG: architecture key %q holds no words", key)
	}
	if !slices.Contains(l.words, c.Word) {
		return c, fmt.Errorf("unknown word %q%s", c.Word, didYouMean(c.Word, l.words))
	}
	parameters := calls[key][c.Word]
	for i := range parameters {
		c.Arguments[parameters[i].Name] = parameters[i].Default
	}
	if !found {
		return c, nil
	}
	list, closed := strings.CutSuffix(strings.TrimSpace(list), ")")
	if !closed {
		return c, fmt.Errorf("%s: write WORD(NAME=VALUE,...)", value)
	}
	given := map[string]bool{}
	for _, item := range strings.Split(list, ",") {
		name, n, err := parseCallArgument(c.Word, parameters, item)
		if err != nil {
			return c, err
		}
		if given[name] {
			return c, fmt.Errorf("%s: %s is given twice", value, name)
		}
		given[name], c.Arguments[name] = true, n
	}
	return c, nil
}

// parseCallArgument reads NAME=VALUE.
func parseCallArgument(word string, parameters []CallParameter, item string) (name string, n int, err error) {
	name, text, ok := strings.Cut(item, "=")
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if !ok || name == "" || text == "" {
		return "", 0, fmt.Errorf("%s: expected NAME=VALUE, found %q", word, item)
	}
	at := slices.IndexFunc(parameters, func(p CallParameter) bool { return p.Name == name })
	if at < 0 {
		if len(parameters) == 0 {
			return "", 0, fmt.Errorf("%s takes no arguments", word)
		}
		names := make([]string, len(parameters))
		for i := range names {
			names[i] = parameters[i].Name
		}
		return "", 0, fmt.Errorf("%s has no parameter %q%s", word, name, didYouMean(name, names))
	}
	if n, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("%s: %s: expected a whole number of %s, found %q", word, name, parameters[at].Unit, text)
	}
	if err = parameters[at].check(n); err != nil {
		return "", 0, fmt.Errorf("%s: %w", word, err)
	}
	return name, n, nil
}

// check finds a value that the argument may not have.
func (c *CallParameter) check(n int) error {
	if n < c.Min || n > c.Max {
		return fmt.Errorf("%s: %d is out of range, expected %s", c.Name, n, c.expects())
	}
	if c.PowerOfTwo && n&(n-1) != 0 {
		return fmt.Errorf("%s: %d is not a power of two, expected %s", c.Name, n, c.expects())
	}
	return nil
}

// callPattern is a regular expression for the values of a key that holds calls.
func (l *leaf) callPattern() string {
	return "^(" + strings.Join(l.words, "|") + `) *(\([a-z_]+ *= *[0-9]+( *, *[a-z_]+ *= *[0-9]+)*\))?$`
}
