// SPDX-License-Identifier: Apache-2.0

package launchfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// File is a launch file.
type File struct {
	// Kernel may be empty when the module has one.
	Kernel string `yaml:"kernel"`
	// Grid and Block are in thread blocks and threads. Block may be missing where the kernel
	// (.reqntid) or Triton says it.
	Grid    Dimensions `yaml:"grid"`
	Block   Dimensions `yaml:"block"`
	Cluster Dimensions `yaml:"cluster"`
	// Shared is dynamic shared memory.
	Shared *Bytes `yaml:"shared"`
	// Arguments are those of the kernel's parameters, in order.
	Arguments []Argument `yaml:"arguments"`
	// Launches is how often the kernel is launched; once where the file does not say it.
	Launches *int `yaml:"launches"`
	// Expect are what buffers hold at the end.
	Expect []Expectation `yaml:"expect"`

	name string
	tree *ast.File
}

// Argument is a value, a buffer of its own, or a buffer that an argument before it named.
type Argument struct {
	Buffer *Buffer `yaml:"buffer"`
	Value  *Value  `yaml:"value"`
	Same   string  `yaml:"same"`
}

// Buffer is device memory. Of Bytes, Elements and Shape one says its size, or File does.
type Buffer struct {
	Name     string     `yaml:"name"`
	Type     string     `yaml:"type"`
	Bytes    *Bytes     `yaml:"bytes"`
	Elements *Bytes     `yaml:"elements"`
	Shape    Dimensions `yaml:"shape"`
	// Fill is zeros, ones, ramp (0, 1, 2, ...), random, or a number for all elements. Random
	// numbers lie in Low ... High, which is excluded: 0 and 1 unless given, and of integers
	// High is to be given.
	Fill *Value `yaml:"fill"`
	Low  *Value `yaml:"low"`
	High *Value `yaml:"high"`
	// File is a data file next to the launch file (see host.file).
	File string `yaml:"file"`
}

// Expectation compares a buffer with a data file.
type Expectation struct {
	Buffer string  `yaml:"buffer"`
	File   string  `yaml:"file"`
	Rel    float64 `yaml:"rel"`
	Abs    float64 `yaml:"abs"`
}

// Dimensions are up to three numbers, or one.
type Dimensions []int

// UnmarshalYAML reads a number or a list.
func (d *Dimensions) UnmarshalYAML(node ast.Node) error {
	var read any
	if err := yaml.NodeToValue(node, &read); err != nil {
		return err
	}
	list, ok := read.([]any)
	if !ok {
		list = []any{read}
	}
	*d = nil
	for _, x := range list {
		n, ok := wholeNumber(x)
		if !ok {
			return at(node, errors.New("want a whole number or a list of them"))
		}
		*d = append(*d, n)
	}
	if len(*d) == 0 {
		return at(node, errors.New("want a whole number or a list of them"))
	}
	return nil
}

func wholeNumber(x any) (int, bool) {
	switch x := x.(type) {
	case int:
		return x, true
	case int64:
		return int(x), true
	case uint64:
		return int(x), x <= math.MaxInt
	}
	return 0, false
}

// Bytes is a number of bytes, or of elements, perhaps with KiB, MiB or GiB behind it.
type Bytes uint64

// UnmarshalYAML reads a number or text.
func (b *Bytes) UnmarshalYAML(node ast.Node) error {
	var v Value
	if err := v.UnmarshalYAML(node); err != nil {
		return err
	}
	text, shift := v.text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			text, shift = strings.TrimSpace(rest), 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > math.MaxInt64>>shift {
		return at(node, fmt.Errorf("%.60s is no size: write bytes, or 4KiB, 4MiB, 4GiB", node))
	}
	*b = Bytes(n << shift)
	return nil
}

// Value is a number, or a list of them for a structure passed by value.
type Value struct {
	text string
	list []Value
}

// UnmarshalYAML keeps a number as it is written.
func (v *Value) UnmarshalYAML(node ast.Node) error {
	var read any
	if err := yaml.NodeToValue(node, &read); err != nil {
		return err
	}
	return at(node, v.set(read))
}

// at gives an error the place of a node.
func at(node ast.Node, err error) error {
	if err == nil || node.GetToken() == nil {
		return err
	}
	return &yaml.SyntaxError{Message: err.Error(), Token: node.GetToken()}
}

func (v *Value) set(read any) error {
	switch x := read.(type) {
	case string:
		v.text = x
	case bool, nil, map[string]any:
		return fmt.Errorf("%v is no number", x)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return errors.New("must be finite: give a buffer from a file for others")
		}
		v.text = strconv.FormatFloat(x, 'g', -1, 64)
		if !strings.ContainsAny(v.text, ".e") {
			v.text += ".0"
		}
	case []any:
		for _, y := range x {
			var e Value
			if _, nested := y.([]any); nested {
				return errors.New("a list in a list")
			}
			if err := e.set(y); err != nil {
				return err
			}
			v.list = append(v.list, e)
		}
	default:
		v.text = fmt.Sprint(x)
	}
	return nil
}

// maxFileBytes bounds a launch file, maxDepth how its lists and mappings lie in each other.
const (
	maxFileBytes = 1 << 18
	maxDepth     = 16
)

// Parse reads a launch file. Errors name the place.
func Parse(name string, text []byte) (f *File, err error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d of a launch file", name, len(text), maxFileBytes)
	}
	if line := tooDeep(text); line > 0 {
		return nil, fmt.Errorf("%s:%d: more than %d brackets or dashes in each other", name, line, maxDepth)
	}
	defer func() {
		// The parser is a third party's and the file anybody's.
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("%s: the YAML parser failed: %v", name, r)
		}
	}()
	f = &File{name: name}
	if f.tree, err = parser.ParseBytes(text, 0); err == nil {
		err = yaml.UnmarshalWithOptions(text, f, yaml.Strict())
	}
	if err != nil {
		return nil, located(name, err)
	}
	f.name = name // an empty file has left nothing
	return f, nil
}

// located gives a parser's error the form of ours: file, line, column, message.
func located(name string, err error) error {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
		p := y.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s%s", name, p.Line, p.Column, y.GetMessage(), remedy(y.GetMessage()))
	}
	return fmt.Errorf("%s: %s", name, strings.ReplaceAll(err.Error(), "\n", " "))
}

// remedy says what to write in the place of what the parser refuses.
func remedy(message string) string {
	switch {
	case strings.HasPrefix(message, "unknown field"):
		return "; there are kernel, grid, block, shared, cluster, launches, arguments and expect, and an argument is one of buffer, value and same"
	case strings.HasSuffix(message, "where mapping is expected"):
		return "; an argument is written as buffer: {name: x, type: f32, elements: 300}, or value: 3, or same: x"
	}
	return ""
}

// tooDeep gives the first line at which brackets, or the dashes of lists, are too many.
func tooDeep(text []byte) int {
	depth := 0
	for line, row := range bytes.Split(text, []byte("\n")) {
		for _, c := range row {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
		}
		if depth > maxDepth || bytes.Count(row, []byte("- ")) > maxDepth || len(row)-len(bytes.TrimLeft(row, " ")) > 8*maxDepth {
			return line + 1
		}
	}
	return 0
}

// errorf is an error at a YAML path such as $.arguments[1].
func (f *File) errorf(path, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if p, err := yaml.PathString(path); err == nil && f.tree != nil {
		if node, err := p.FilterFile(f.tree); err == nil && node.GetToken() != nil && node.GetToken().Position != nil {
			at := node.GetToken().Position
			return fmt.Errorf("%s:%d:%d: %s", f.name, at.Line, at.Column, message)
		}
	}
	if f.name == "" { // it was not read from a file
		return errors.New(message)
	}
	return fmt.Errorf("%s: %s", f.name, message)
}
