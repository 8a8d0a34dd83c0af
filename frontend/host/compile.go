// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// KernelSource is CUDA C that a host program has with values for its macros. It is one
// file: it includes nothing.
type KernelSource struct {
	// File names the text in messages.
	File   string
	Text   []byte
	Macros []Macro // ascending by name
}

// Macro is a macro that stands for a whole number.
type Macro struct {
	Name  string
	Value int64
}

// CompiledKernel is what Options.Compile makes.
type CompiledKernel struct {
	PTX []byte
	// Compiler names program and release: "clang 19".
	Compiler string
}

// variant names the macros' values: "TILE_SIZE=4 USE_METHOD=0".
func (s *KernelSource) variant() string {
	text := make([]string, len(s.Macros))
	for i, m := range s.Macros {
		text[i] = fmt.Sprintf("%s=%d", m.Name, m.Value)
	}
	return strings.Join(text, " ")
}

// maxMacros bounds the macros of a module.
const maxMacros = 256

var (
	macroName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	// reaching are the directives by which a source reads other files, which a host
	// program must not; and .incbin and .include of text between quotes.
	reaching = regexp.MustCompile(`\b(include|include_next|embed|import|__has_include|__has_include_next|__has_embed|incbin)\b`)
	splices  = regexp.MustCompile(`\\[ \t\v\f]*\r?\n`)
)

// macrosOf reads gpu.module's macros: a dictionary of whole numbers.
func macrosOf(d *starlark.Dict) ([]Macro, error) {
	if d.Len() > maxMacros {
		return nil, fmt.Errorf("macros: %d of them; at most %d", d.Len(), maxMacros)
	}
	var macros []Macro
	for _, item := range d.Items() {
		name, ok := starlark.AsString(item[0])
		if !ok || !macroName.MatchString(name) {
			return nil, fmt.Errorf("macros: %s is no name of a macro: letters, digits and underscores, a letter first", item[0])
		}
		value := item[1]
		if b, is := value.(starlark.Bool); is {
			value = starlark.MakeInt(0)
			if b {
				value = starlark.MakeInt(1)
			}
		}
		n, ok := value.(starlark.Int)
		if !ok {
			return nil, fmt.Errorf("macros: %s is %s; want a whole number", name, item[1].Type())
		}
		v, ok := n.Int64()
		if !ok {
			return nil, fmt.Errorf("macros: %s is %s, which does not fit 64 bits", name, n)
		}
		macros = append(macros, Macro{name, v})
	}
	slices.SortFunc(macros, func(a, b Macro) int { return strings.Compare(a.Name, b.Name) })
	return macros, nil
}

// compile makes the PTX of CUDA C; name is what the trace calls it.
func (r *run) compile(file string, macros []Macro) (text []byte, name string, err error) {
	if path.Ext(file) != ".cu" {
		return nil, "", fmt.Errorf("macros are for CUDA C (.cu), and %s is none; PTX has its values already", file)
	}
	if r.options.Compile == nil {
		return nil, "", errors.New("this command does not compile CUDA C: record the program by 'warptape record'")
	}
	source := &KernelSource{File: file, Macros: macros}
	if source.Text, err = readFile(r.program.files, file); err != nil {
		return nil, "", err
	}
	whole := splices.ReplaceAll(source.Text, nil)
	if at := reaching.FindIndex(whole); at != nil {
		return nil, "", fmt.Errorf("%s:%d: %q: kernels of host programs are one file, which includes no other", file, 1+bytes.Count(whole[:at[0]], []byte("\n")), whole[at[0]:at[1]])
	}
	made, err := r.options.Compile(r.ctx, source)
	if err != nil {
		return nil, "", fmt.Errorf("%s with %s: %w", file, source.variant(), err)
	}
	return made.PTX, fmt.Sprintf("%s %s (%s)", file, source.variant(), made.Compiler), nil
}
