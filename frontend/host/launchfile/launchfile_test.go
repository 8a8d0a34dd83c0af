// SPDX-License-Identifier: Apache-2.0

package launchfile

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/ptx"
)

const module = `.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 a, .param .b32 n, .param .align 4 .b8 box[8]) .reqntid 64, 2
{
	ret;
}
.visible .entry other(.param .u64 x, .param .s16 k, .param .u64 scratch)
{
	ret;
}
`

func parsed(t testing.TB) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse("kernel.ptx", []byte(module))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func programOf(t testing.TB, text string, triton *Triton) (string, error) {
	f, err := Parse("launch.yaml", []byte(text))
	if err != nil {
		return "", err
	}
	return f.Program(parsed(t), "kernel.ptx", triton)
}

func TestALaunchFileBecomesAHostProgram(t *testing.T) {
	got, err := programOf(t, `kernel: scale
grid: [4, 2]
shared: 1KiB
launches: 3
arguments:
  - buffer: {name: my x, type: bf16, bytes: 4KiB, fill: random, low: -1}
  - value: 2
  - value: 2.5
  - value: [1, 2, 3, 4, 5, 6, 7, 8]
expect:
  - {buffer: my x, file: want.npy, abs: 0.5}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `"Launches the kernel scale of kernel.ptx."

def main(p):
    m = gpu.module("kernel.ptx")
    buffer_my_x = gpu.buffer("my x", array.to_bf16(random.uniform(f32, 2048, low=-1.0, high=1.0)))
    for i in range(3):
        gpu.launch(getattr(m, "scale"), grid=(4, 2,), block=(64, 2, 1,), shared=1024, args=[buffer_my_x, f32(2.0), f32(2.5), u8([1, 2, 3, 4, 5, 6, 7, 8])])
    check.close(array.of_bf16(gpu.read(buffer_my_x).flatten()), array.of_bf16(u16(host.file("want.npy")).flatten()), rel=0.0, abs=0.5, name="my x")
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTritonSaysBlockSharedMemoryAndHiddenArguments(t *testing.T) {
	triton, ok, err := ReadTriton([]byte(`{"name": "other", "num_warps": 4, "shared": 2048, "num_ctas": 2, "cluster_dims": [2, 1, 1], "global_scratch_size": 16,
		"target": {"backend": "cuda", "arch": 90, "warp_size": 32}}`))
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	got, err := programOf(t, "grid: 6\narguments: [{buffer: {elements: 2, fill: ramp, type: i32}}, {value: -3}]\n", triton)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`getattr(m, "other"), grid=(6,), block=(128,), cluster=(2, 1, 1,), shared=2048, args=[buffer_argument0, -3, buffer_global_scratch])`,
		`gpu.alloc("global_scratch", u8, 96)`, `gpu.buffer("argument0", array.arange(i32, 2))`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	// A launch file that gives all arguments, or its own block, is followed.
	got, err = programOf(t, "grid: 6\nblock: 32\nshared: 0\narguments: [{buffer: {elements: 2}}, {value: 3}, {value: 0}]\n", triton)
	if err != nil || !strings.Contains(got, "block=(32,), cluster=(2, 1, 1,), shared=0, args=[buffer_argument0, 3, 0])") {
		t.Error(got, err)
	}
	for text, want := range map[string]string{
		`{"name": "k", "num_warps": 64}`:                              "num_warps is 64",
		`{"name": "k", "num_warps": 4, "target": {"backend": "hip"}}`: "back end hip",
		`{"name": "k", "num_warps": 4, "cluster_dims": [0, 1, 1]}`:    "a cluster of [0 1 1]",
		`{"name": "k", "num_warps": "four"}`:                          "not as Triton writes it",
		`{"name": "k", "num_w`:                                        "no whole JSON file",
		``:                                                            "let Triton write it again",
	} {
		if _, ok, err := ReadTriton([]byte(text)); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v", text, ok, err)
		}
	}
	for _, text := range []string{"[]", `{"name": "package", "version": "1"}`, `{"num_warps": "x"}`} {
		if _, ok, err := ReadTriton([]byte(text)); ok || err != nil {
			t.Errorf("%q: %v %v", text, ok, err)
		}
	}
}

func TestLaunchFilesThatAreRefused(t *testing.T) {
	const arguments = "arguments: [{buffer: {name: x, elements: 4}}, {value: 1}, {value: 0}]\n"
	for text, want := range map[string]string{
		"":                         "launch.yaml: kernel.ptx has 2 kernels: say kernel: scale or other",
		"kernel: none\n":           "launch.yaml:1:9: kernel.ptx has no kernel none: it has scale, other",
		"kernel: other\ngrit: 4\n": "launch.yaml:2:1: unknown field \"grit\"; there are kernel, grid",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: 4KiB}]\n":                                                           "mapping is expected; an argument is written as buffer: {name",
		"kernel: other\n" + arguments:                                                                                               "grid is missing",
		"kernel: other\ngrid: 4\n" + arguments:                                                                                      "block is missing",
		"kernel: other\ngrid: [1, 2, 3, 4]\nblock: 1\n" + arguments:                                                                 "4 dimensions",
		"kernel: other\ngrid: 0\nblock: 1\n" + arguments:                                                                            "launch.yaml:2:7: 0 is no size",
		"kernel: other\ngrid: many\nblock: 1\n":                                                                                     "want a whole number or a list",
		"kernel: other\ngrid: 1\nblock: 1\narguments: []\n":                                                                         "takes 3 arguments (.u64 x, .s16 k, .u64 scratch), and there are 0",
		"kernel: other\ngrid: 1\nblock: 1\nlaunches: 0\n" + arguments:                                                               "launch.yaml:4:11: 0 launches",
		"kernel: other\ngrid: 1\nblock: 1\nlaunches: -1\n" + arguments:                                                              "-1 launches",
		"kernel: other\ngrid: 1\nblock: 1\nshared: 4 parsecs\n" + arguments:                                                         "is no size: write bytes",
		"kernel: other\ngrid: 1\nblock: 1\nshared: 99999999999GiB\n" + arguments:                                                    "is no size",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{}, {value: 1}, {value: 0}]\n":                                               "launch.yaml:4:13: the parameter x (.u64) needs one of buffer, value and same",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{same: x}, {value: 1}, {value: 0}]\n":                                        `no argument before names a buffer "x"`,
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{value: 0}, {value: 1.5}, {value: 0}]\n":                                     `the parameter k: "1.5" is no .s16`,
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{value: 0}, {value: '007'}, {value: 0}]\n":                                   `"007" is no .s16`,
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{value: 0}, {value: true}, {value: 0}]\n":                                    "true is no number",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {type: f8, elements: 1}}, {value: 1}, {value: 0}]\n":                `type "f8": there are bf16, f16`,
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {type: f32}}, {value: 1}, {value: 0}]\n":                            "its size is to be given once",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {type: f32, bytes: 6}}, {value: 1}, {value: 0}]\n":                  "no whole number of f32",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {shape: [99999999, 99999999]}}, {value: 1}, {value: 0}]\n":          "is no size",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {elements: 4, type: i8, fill: random}}, {value: 1}, {value: 0}]\n":  "random integers need high",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {elements: 4, fill: noise}}, {value: 1}, {value: 0}]\n":             "write zeros, ones, ramp, random or a number",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {elements: 4, low: 1}}, {value: 1}, {value: 0}]\n":                  "low and high go with fill: random",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {file: x.npy, elements: 4}}, {value: 1}, {value: 0}]\n":             "a buffer of a file has its size and contents",
		"kernel: other\ngrid: 1\nblock: 1\narguments: [{buffer: {name: a, bytes: 4}}, {value: 1}, {buffer: {name: a, bytes: 4}}]\n": `two buffers have the name "a"`,
		"kernel: other\ngrid: 1\nblock: 1\n" + arguments + "expect: [{buffer: y, file: a.npy}]\n":                                   `no argument names a buffer "y"`,
		"kernel: other\ngrid: 1\nblock: 1\n" + arguments + "expect: [{buffer: x}]\n":                                                "file is missing",
		"kernel: scale\ngrid: 1\narguments: [{buffer: {elements: 4}}, {value: 1}, {value: 1}, {value: 7}]\n":                        "it has 8 bytes: give a list of 8 numbers of type .b8",
		"kernel: scale\ngrid: 1\narguments: [{buffer: {elements: 4}}, {value: 1}, {value: 1}, {value: [7]}]\n":                      "a list of 1 numbers: it has 8",
		"kernel: other\ngrid: [" + strings.Repeat("[", 99) + "\n":                                                                   "more than 16 brackets",
		"a: &a [*a]\n": "launch.yaml:",
		"\t- x: [":     "launch.yaml:",
	} {
		if got, err := programOf(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%s%v\nwant %q", text, got, err, want)
		}
	}
}

func TestATemplateIsALaunchFile(t *testing.T) {
	m := parsed(t)
	for _, k := range m.Kernels {
		if _, err := programOf(t, Template(k, nil), nil); err != nil {
			t.Errorf("%s: %v\n%s", k.Name, err, Template(k, nil))
		}
	}
}

// What is wrong with a value is told with its line and column.
func TestErrorsOfLaunchFilesNameTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"kernel: scale\nshared: 4TiB\n":                              "launch.yaml:2:9: 4TiB is no size",
		"shared: -4\n":                                               "launch.yaml:1:9: -4 is no size",
		"arguments:\n  - buffer: {bytes: 1.5}\n":                     "launch.yaml:2:21: 1.5 is no size",
		"arguments:\n  - buffer:\n      elements: many\n":            "launch.yaml:3:17: many is no size",
		"grid: [1, 2.5]\n":                                           "launch.yaml:1:7: want a whole number",
		"block: 1.5\n":                                               "launch.yaml:1:8: want a whole number",
		"block: []\n":                                                "launch.yaml:1:8: want a whole number",
		"arguments:\n  - buffer: {bytes: 4, fill: .nan}\n":           "launch.yaml:2:30: must be finite",
		"arguments:\n  - value: 1\n  - value: [1, [2]]\n":            "launch.yaml:3:12: a list in a list",
		"arguments:\n  - buffer: {bytes: 4, fill: {number: 1}}\n":    "no number",
		"arguments:\n  - buffer: {bytes: 99999999999999999999KiB}\n": "launch.yaml:2:21: 99999999999999999999KiB is no size",
	} {
		if _, err := Parse("launch.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Whatever a launch file says, it is refused or becomes a program.
func FuzzLaunchFile(f *testing.F) {
	m := parsed(f)
	for _, k := range m.Kernels {
		f.Add(Template(k, nil))
	}
	f.Add("kernel: other\ngrid: [1, 2]\nblock: 1\nshared: 4KiB\narguments: [{buffer: {name: x, file: a.csv, type: f16}}, {value: 1}, {same: x}]\nexpect: [{buffer: x, file: a.npy, rel: 1}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("launch.yaml", []byte(text))
		if err != nil {
			return
		}
		program, err := file.Program(m, "kernel.ptx", nil)
		if err != nil {
			return
		}
		if _, err := host.Load(fstest.MapFS{"k.star": {Data: []byte(program)}}, "k.star"); err != nil {
			t.Errorf("%v\n%s", err, program)
		}
	})
}

// Brackets, dashes of lists in a row, and indentation are each bounded by themselves, and the line is the first with
// too many. Brackets that are closed do not count.
func TestFilesThatAreTooDeepNameTheLine(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
	}{
		{"a: 1\n" + strings.Repeat("[", maxDepth), 0},
		{"a: 1\n" + strings.Repeat("[", maxDepth+1), 2},
		{strings.Repeat("{", maxDepth) + "\n[", 2},
		{strings.Repeat("[]", 3*maxDepth) + strings.Repeat("{}\n", 3*maxDepth), 0},
		{"a: 1\n\n" + strings.Repeat("- ", maxDepth), 0},
		{"a: 1\n\n" + strings.Repeat("- ", maxDepth+1), 3},
		{strings.Repeat("- 1\n", 3*maxDepth), 0},
		{strings.Repeat(" ", 8*maxDepth) + "a: 1", 0},
		{"a:\n" + strings.Repeat(" ", 8*maxDepth+1) + "a: 1", 2},
	} {
		if got := tooDeep([]byte(c.text)); got != c.line {
			t.Errorf("%q: line %d, want %d", c.text, got, c.line)
		}
	}
}
