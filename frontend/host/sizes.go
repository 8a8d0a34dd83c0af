// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/bounds"
)

// Size is a named choice of a host program's parameters.
type Size struct {
	Name       string
	Parameters []Parameter
}

// Parameter is one parameter of a size: an int, float, bool or string.
type Parameter struct {
	Name  string
	value starlark.Value
}

// Value is the parameter's value as the program wrote it; strings without
// quotes.
func (p Parameter) Value() string {
	if s, ok := starlark.AsString(p.value); ok {
		return s
	}
	return p.value.String()
}

// DefaultSize is the size that Run takes when none is asked for; a program
// without it uses its first.
const DefaultSize = "small"

// readSizes checks the global variable sizes: a dictionary of dictionaries
// that all have the same names.
func readSizes(v starlark.Value) ([]Size, error) {
	if v == nil {
		return []Size{{Name: DefaultSize}}, nil
	}
	dict, ok := v.(*starlark.Dict)
	if !ok || dict.Len() == 0 {
		return nil, fmt.Errorf(`sizes must be a dictionary such as {"small": {"n": 1024}}`)
	}
	var sizes []Size
	for _, item := range dict.Items() {
		size, err := readSize(item)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, size)
		if want, got := sizes[0].names(), size.names(); !slices.Equal(want, got) {
			return nil, fmt.Errorf("size %q has parameters %s, but size %q has %s", size.Name, strings.Join(got, ", "), sizes[0].Name, strings.Join(want, ", "))
		}
	}
	return sizes, nil
}

func readSize(item starlark.Tuple) (Size, error) {
	name, isName := starlark.AsString(item[0])
	dict, isDict := item[1].(*starlark.Dict)
	if !isName || !isDict {
		return Size{}, fmt.Errorf("sizes[%s] must be a dictionary of parameters", bounds.Text(item[0]))
	}
	size := Size{Name: name}
	for _, item := range dict.Items() {
		parameter, ok := starlark.AsString(item[0])
		if !ok {
			return Size{}, fmt.Errorf("sizes[%q]: %s is no parameter name", name, bounds.Text(item[0]))
		}
		switch item[1].(type) {
		case starlark.Int, starlark.Float, starlark.Bool, starlark.String:
		default:
			return Size{}, fmt.Errorf("sizes[%q]: parameter %s must be a number, a bool or a string, not a %s", name, parameter, item[1].Type())
		}
		size.Parameters = append(size.Parameters, Parameter{Name: parameter, value: item[1]})
	}
	return size, nil
}

func (s *Size) names() []string {
	names := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		names[i] = p.Name
	}
	slices.Sort(names)
	return names
}

// chosen is the size that options ask for, with overrides.
func (p *Program) chosen(o *Options) (Size, error) {
	size, err := p.size(o.Size)
	if err != nil {
		return Size{}, err
	}
	size.Parameters = slices.Clone(size.Parameters)
	for _, name := range sortedKeys(o.Set) {
		if err := size.override(name, o.Set[name]); err != nil {
			return Size{}, err
		}
	}
	return size, nil
}

// CheckSize says what is wrong with Options.Size and Options.Set; nil when a run would
// take them.
func (p *Program) CheckSize(o *Options) error {
	_, err := p.chosen(o)
	return err
}

func (p *Program) size(name string) (Size, error) {
	var names []string
	for _, s := range p.sizes {
		if s.Name == name || name == "" && s.Name == DefaultSize {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if name == "" {
		return p.sizes[0], nil
	}
	return Size{}, fmt.Errorf("there is no size %q: choose one of %s", name, strings.Join(names, ", "))
}

// override gives a parameter the value that text says: for a string the text
// itself, otherwise an expression such as 1<<20 of the parameter's type.
func (s *Size) override(name, text string) error {
	for i := range s.Parameters {
		p := &s.Parameters[i]
		if p.Name != name {
			continue
		}
		v, err := parseAs(p.value, text)
		if err != nil {
			return fmt.Errorf("parameter %s=%s: %w", name, text, err)
		}
		p.value = v
		return nil
	}
	return fmt.Errorf("there is no parameter %q to set: size %s has %s", name, s.Name, strings.Join(s.names(), ", "))
}

func parseAs(old starlark.Value, text string) (starlark.Value, error) {
	if _, ok := old.(starlark.String); ok {
		return starlark.String(text), nil
	}
	v, err := evaluate(text)
	if err != nil {
		return nil, fmt.Errorf("want type %s: %w", old.Type(), err)
	}
	if i, ok := v.(starlark.Int); ok && old.Type() == "float" {
		v = i.Float()
	}
	if v.Type() != old.Type() {
		return nil, fmt.Errorf("want type %s, got %s", old.Type(), v.Type())
	}
	return v, nil
}

// evaluate is the value of an expression that needs a few steps and no names of its
// own.
func evaluate(text string) (starlark.Value, error) {
	if err := checkNesting("parameter", []byte(text)); err != nil {
		return nil, err
	}
	e, err := dialect.ParseExpr("parameter", text, 0)
	if err != nil {
		return nil, err
	}
	const steps, bytes = 1000, 64 << 20
	thread := &starlark.Thread{Name: "parameter"}
	thread.SetMaxExecutionSteps(steps)
	bounds.New(thread, steps, bytes, bytes)
	return starlark.EvalExprOptions(dialect, thread, bounds.RewriteExpr(e), bounds.Universe())
}

// starlark is the size as main's argument p.
func (s *Size) starlark() starlark.Value {
	fields := starlark.StringDict{}
	for _, p := range s.Parameters {
		fields[p.Name] = p.value
	}
	return starlarkstruct.FromStringDict(starlark.String("parameters"), fields)
}

// arguments are the size's name and parameters for the trace's header.
func (s *Size) arguments() map[string]string {
	all := map[string]string{"size": s.Name}
	for _, p := range s.Parameters {
		all[p.Name] = p.Value()
	}
	return all
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
