// SPDX-License-Identifier: Apache-2.0

package launchfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
)

// Program is the host program that launches a kernel of the module in a file of that name,
// as the launch file says; triton may be nil.
func (f *File) Program(module *ptx.Module, file string, triton *Triton) (string, error) {
	kernel, err := f.KernelOf(module, triton)
	if err != nil {
		return "", err
	}
	w := &writer{file: f, kernel: kernel, triton: triton, names: map[string]*Buffer{}, blocks: 1}
	launch, err := w.launch()
	if err != nil {
		return "", err
	}
	w.line("m = gpu.module(%s)", strconv.Quote(file))
	arguments, err := w.arguments()
	if err != nil {
		return "", err
	}
	call := fmt.Sprintf("gpu.launch(getattr(m, %s), %s, args=[%s])", strconv.Quote(kernel.Name), launch, strings.Join(arguments, ", "))
	switch {
	case f.Launches == nil:
	case *f.Launches < 1:
		return "", f.errorf("$.launches", "%d launches: one is the least", *f.Launches)
	case *f.Launches > 1:
		w.line("for i in range(%d):", *f.Launches)
		call = "    " + call
	}
	w.line("%s", call)
	if err := w.expectations(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%q\n\ndef main(p):\n%s", fmt.Sprintf("Launches the kernel %s of %s.", kernel.Name, file), w.text.String()), nil
}

// KernelOf finds the kernel that the file names, or Triton, or the only one.
func (f *File) KernelOf(module *ptx.Module, triton *Triton) (*ptx.Kernel, error) {
	name := f.Kernel
	if name == "" && triton != nil {
		name = triton.Name
	}
	var names []string
	for _, k := range module.Kernels {
		if k.Name == name || name == "" && len(module.Kernels) == 1 {
			return k, nil
		}
		names = append(names, k.Name)
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s has no kernel", module.File)
	case name == "":
		return nil, f.errorf("$", "%s has %d kernels: say kernel: %s", module.File, len(names), strings.Join(names, " or "))
	}
	return nil, f.errorf("$.kernel", "%s has no kernel %s: it has %s", module.File, name, strings.Join(names, ", "))
}

// writer writes the body of main.
type writer struct {
	file   *File
	kernel *ptx.Kernel
	triton *Triton
	text   strings.Builder
	names  map[string]*Buffer
	blocks uint64 // of the grid
}

func (w *writer) line(format string, args ...any) {
	w.text.WriteString("    " + fmt.Sprintf(format, args...) + "\n")
}

// launch is what a launch has apart from its arguments.
func (w *writer) launch() (string, error) {
	f := w.file
	block, shared, cluster := f.Block, uint64(0), f.Cluster
	if r := w.kernel.RequiredThreads; len(block) == 0 && r != [3]uint32{} {
		block = Dimensions{int(max(r[0], 1)), int(max(r[1], 1)), int(max(r[2], 1))}
	}
	if t := w.triton; t != nil {
		if len(block) == 0 {
			block = Dimensions{t.Warps * warpSize}
		}
		if shared = uint64(t.Shared); len(cluster) == 0 {
			cluster = t.cluster()
		}
	}
	if f.Shared != nil {
		shared = uint64(*f.Shared)
	}
	var parts []string
	for _, d := range []struct {
		name     string
		sizes    Dimensions
		required bool
	}{{"grid", f.Grid, true}, {"block", block, true}, {"cluster", cluster, false}} {
		if len(d.sizes) == 0 && !d.required {
			continue
		}
		text, err := f.dimensions(d.name, d.sizes)
		if err != nil {
			return "", err
		}
		parts = append(parts, d.name+"="+text)
	}
	for _, n := range f.Grid {
		w.blocks *= uint64(n)
	}
	if shared > 1<<30 {
		return "", f.errorf("$.shared", "%d bytes of shared memory", shared)
	}
	return strings.Join(append(parts, fmt.Sprintf("shared=%d", shared)), ", "), nil
}

// maxDimension is the largest of a grid (CUDA C++ Programming Guide, compute capabilities).
const maxDimension = 1<<31 - 1

func (f *File) dimensions(name string, d Dimensions) (string, error) {
	if len(d) == 0 {
		return "", f.errorf("$", "%s is missing: write %s: [x, y, z], or one number", name, name)
	}
	if len(d) > 3 {
		return "", f.errorf("$."+name, "%d dimensions: there are three at most", len(d))
	}
	list := make([]string, len(d))
	for i, n := range d {
		if n < 1 || n > maxDimension {
			return "", f.errorf("$."+name, "%d is no size: 1 to %d are", n, maxDimension)
		}
		list[i] = strconv.Itoa(n)
	}
	return "(" + strings.Join(list, ", ") + ",)", nil
}

// arguments declares buffers, and gives the expressions of all arguments.
func (w *writer) arguments() ([]string, error) {
	params := w.kernel.Params
	given := w.file.Arguments
	if hidden := w.triton.hidden(params, len(given), w.blocks); hidden != nil {
		given = append(given[:len(given):len(given)], hidden...)
	}
	if len(given) != len(params) {
		return nil, w.file.errorf("$.arguments", "the kernel %s takes %d arguments (%s), and there are %d", w.kernel.Name, len(params), signature(params), len(given))
	}
	list := make([]string, len(params))
	for i := range params {
		path := fmt.Sprintf("$.arguments[%d]", i)
		text, err := w.argument(i, &given[i], path)
		if err != nil {
			return nil, err
		}
		list[i] = text
	}
	return list, nil
}

func (w *writer) argument(i int, a *Argument, path string) (string, error) {
	p, f := w.kernel.Params[i], w.file
	ways := 0
	for _, given := range []bool{a.Buffer != nil, a.Value != nil, a.Same != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return "", f.errorf(path, "the parameter %s (.%s) needs one of buffer, value and same", p.Name, p.Type)
	case a.Same != "":
		if w.names[a.Same] == nil {
			return "", f.errorf(path+".same", "no argument before names a buffer %q", a.Same)
		}
		return w.variable(a.Same), nil
	case a.Value != nil:
		text, err := literal(p, a.Value)
		if err != nil {
			return "", f.errorf(path+".value", "the parameter %s: %v", p.Name, err)
		}
		return text, nil
	}
	b := a.Buffer
	if b.Name == "" {
		b.Name = fmt.Sprintf("argument%d", i)
	}
	if w.names[b.Name] != nil {
		return "", f.errorf(path+".buffer", "two buffers have the name %q: write same: %s for the same one", b.Name, b.Name)
	}
	text, err := b.declaration()
	if err != nil {
		return "", f.errorf(path+".buffer", "%v", err)
	}
	w.names[b.Name] = b
	w.line("%s = %s", w.variable(b.Name), text)
	return w.variable(b.Name), nil
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9_]`)

// variable is the variable of a buffer.
func (w *writer) variable(name string) string { return "buffer_" + notWord.ReplaceAllString(name, "_") }

// signature lists parameters.
func signature(params []*ptx.Param) string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = fmt.Sprintf(".%s %s", p.Type, p.Name)
	}
	return strings.Join(list, ", ")
}

// expectations compares buffers with files.
func (w *writer) expectations() error {
	for i, e := range w.file.Expect {
		path := fmt.Sprintf("$.expect[%d]", i)
		b := w.names[e.Buffer]
		switch {
		case b == nil:
			return w.file.errorf(path, "no argument names a buffer %q", e.Buffer)
		case e.File == "":
			return w.file.errorf(path, "file is missing: it has what %s holds at the end", e.Buffer)
		case e.Rel < 0 || e.Abs < 0:
			return w.file.errorf(path, "rel and abs must not be negative")
		}
		got, t := "gpu.read("+w.variable(e.Buffer)+").flatten()", elementTypes[b.Type]
		want := fmt.Sprintf("%s(%s).flatten()", t.stored, b.fromFile(e.File))
		if t.values != "" {
			got, want = fmt.Sprintf("array.of_%s(%s)", t.values, got), fmt.Sprintf("array.of_%s(%s)", t.values, want)
		}
		if e.Rel == 0 && e.Abs == 0 {
			w.line("check.equal(%s, %s, name=%s)", got, want, strconv.Quote(e.Buffer))
			continue
		}
		w.line("check.close(%s, %s, rel=%s, abs=%s, name=%s)", got, want, float(e.Rel), float(e.Abs), strconv.Quote(e.Buffer))
	}
	return nil
}

// float writes a number as Starlark has it.
func float(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
