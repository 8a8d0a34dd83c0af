// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// LineFilter chooses instructions by where they stand: a line of the PTX, or with
// File also of another source file that a .loc directive names.
type LineFilter struct {
	File string // path as the trace has it, or its last part; "" is the kernel's PTX
	Line uint32
}

// ParseLineFilter reads N or FILE:N.
func ParseLineFilter(text string) (*LineFilter, error) {
	f := &LineFilter{}
	number := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		f.File, number = text[:i], text[i+1:]
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || n == 0 || f.File == "" && number != text {
		return nil, fmt.Errorf("line %.60q: want N or FILE:N, lines count from 1", text)
	}
	f.Line = uint32(n)
	return f, nil
}

// String is the form that ParseLineFilter reads.
func (f *LineFilter) String() string {
	if f.File == "" {
		return fmt.Sprint(f.Line)
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// match says for every instruction of a kernel whether it is of the line.
func (f *LineFilter) match(k *trace.Kernel) []bool {
	in := make([]bool, len(k.Instructions))
	ptx := f.File == "" || f.names(k.File)
	for i := range k.Instructions {
		at := &k.Instructions[i]
		in[i] = ptx && at.Line == f.Line ||
			f.File != "" && at.SourceLine == f.Line && f.names(k.SourceFiles[at.SourceFile])
	}
	return in
}

func (f *LineFilter) names(path string) bool {
	return path != "" && (path == f.File || filepath.Base(path) == f.File)
}

// describeFiles lists the files that a LineFilter can name.
func describeFiles(r *wtape.Reader) string {
	files := map[string]bool{}
	for i := range r.Kernels() {
		k := &r.Kernels()[i]
		files[k.File] = true
		for _, name := range k.SourceFiles {
			files[name] = true
		}
	}
	delete(files, "")
	const most = 8
	names := slices.Sorted(maps.Keys(files))
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return "its files are " + strings.Join(names, ", ")
}
