// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"fmt"
	"slices"
	"strings"
)

// Parameter is a parameter of the program with the values that it takes.
type Parameter struct {
	Name   string
	Values []string
}

// Space is all combinations of the parameters' values.
type Space []Parameter

// maxVariants bounds a space.
const maxVariants = 100_000

// ParseSpace reads parameters in the form "NAME=VALUE,VALUE".
func ParseSpace(list []string) (Space, error) {
	var s Space
	count := 1
	for _, text := range list {
		name, values, ok := strings.Cut(text, "=")
		p := Parameter{Name: name, Values: strings.Split(values, ",")}
		if !ok || name == "" || slices.Contains(p.Values, "") {
			return nil, fmt.Errorf("%q: want NAME=VALUE,VALUE", text)
		}
		if slices.ContainsFunc(s, func(o Parameter) bool { return o.Name == name }) {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		for i, v := range p.Values {
			if slices.Contains(p.Values[:i], v) {
				return nil, fmt.Errorf("%s: the value %s is given twice", name, v)
			}
		}
		if count *= len(p.Values); count > maxVariants {
			return nil, fmt.Errorf("more than %d variants; give fewer values", maxVariants)
		}
		s = append(s, p)
	}
	return s, nil
}

// Variants are the combinations, with the last parameter changing first.
func (s Space) Variants() []map[string]string {
	list := []map[string]string{{}}
	for _, p := range s {
		var next []map[string]string
		for _, before := range list {
			for _, v := range p.Values {
				set := map[string]string{p.Name: v}
				for name, value := range before {
					set[name] = value
				}
				next = append(next, set)
			}
		}
		list = next
	}
	return list
}
