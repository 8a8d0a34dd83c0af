// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/host"
)

// scaleKernel multiplies n floats by a factor; addresses beyond n are not
// checked, so that a launch with too many threads faults.
const scaleKernel = `.version 6.3
.target sm_70
.address_size 64
.global .align 4 .u32 counter = 7;
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
{
	.reg .b32 %r<5>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	ld.param.u64 %rd1, [data];
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	ld.param.f32 %f2, [factor];
	mul.f32 %f3, %f1, %f2;
	st.global.f32 [%rd3], %f3;
	ret;
}
`

// folder is a host program next to the scale kernel.
func folder(program string) fs.FS {
	return fstest.MapFS{
		"dir/p.star":    {Data: []byte(program)},
		"dir/scale.ptx": {Data: []byte(scaleKernel)},
	}
}

func load(t *testing.T, program string) *host.Program {
	t.Helper()
	p, err := host.Load(folder(program), "dir/p.star")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inMain indents statements into a program that has loaded the kernel.
func inMain(statements string) string {
	lines := []string{"def main(p):", `m = gpu.module("scale.ptx")`}
	return strings.Join(append(lines, strings.Split(statements, "\n")...), "\n    ") + "\n"
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q\nlacks %q", err, part)
		}
	}
}

func TestFaultyProgramsAreRefusedWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, program, want string }{
		{"syntax", "def main(p):\n    x = = 1\n", "dir/p.star:2:9: "},
		{"undefined name", "def main(p):\n    frobnicate()\n", "dir/p.star:2:5: in <toplevel>: undefined: frobnicate"},
		{"no main", "x = 1\n", "dir/p.star: it defines no function main(p)"},
		{"main is no function", "main = 1\n", "it defines no function main(p)"},
		{"device at the top level", "x = random.uniform(f32, 3)\ndef main(p): pass\n", "dir/p.star:1:19: in <toplevel>: random.uniform: call it inside main"},
		{"load", "load('x.star', 'y')\ndef main(p): pass\n", "a host program is a single file"},
		{"endless top level", "while True: pass\ndef main(p): pass\n", "exceeds 4194304 steps"},
		{"sizes no dictionary", "sizes = 3\ndef main(p): pass\n", "sizes must be a dictionary"},
		{"size no dictionary", "sizes = {'a': 3}\ndef main(p): pass\n", `sizes["a"] must be a dictionary`},
		{"parameter a list", "sizes = {'a': {'n': []}}\ndef main(p): pass\n", `sizes["a"]: parameter n must be a number`},
		{"sizes differ", "sizes = {'a': {'n': 1}, 'b': {'m': 1}}\ndef main(p): pass\n", `size "b" has parameters m, but size "a" has n`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := host.Load(folder(c.program), "dir/p.star")
			wantError(t, err, c.want)
			var located *host.Error
			if !errors.As(err, &located) {
				t.Errorf("error is a %T", err)
			}
		})
	}
}

func TestMissingProgramIsNamed(t *testing.T) {
	_, err := host.Load(folder(""), "dir/q.star")
	wantError(t, err, "dir/q.star")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestProgramDeclaresItsNameTextAndSizes(t *testing.T) {
	p := load(t, "\"\"\"\nDoes little.\n\"\"\"\nsizes = {'tiny': {'n': 1, 'name': 'x'}, 'big': {'n': 2, 'name': 'y'}}\ndef main(p): pass\n")
	if p.Name() != "p" || p.Doc() != "Does little." || len(p.Digest()) != 64 {
		t.Errorf("name %q, text %q, digest %q", p.Name(), p.Doc(), p.Digest())
	}
	var got []string
	for _, s := range p.Sizes() {
		for _, parameter := range s.Parameters {
			got = append(got, fmt.Sprintf("%s.%s=%s", s.Name, parameter.Name, parameter.Value()))
		}
	}
	if diff := cmp.Diff([]string{"tiny.n=1", "tiny.name=x", "big.n=2", "big.name=y"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParametersComeFromTheSizeAndOverrides(t *testing.T) {
	p := load(t, "sizes = {'a': {'n': 1, 's': 'x', 'f': 0.5}, 'small': {'n': 2, 's': 'y', 'f': 1.5}}\ndef main(p): print(p.n, p.s, p.f)\n")
	for _, c := range []struct {
		options host.Options
		want    string
	}{
		{host.Options{}, "2 y 1.5\n"},
		{host.Options{Size: "a"}, "1 x 0.5\n"},
		{host.Options{Size: "a", Set: map[string]string{"n": "1<<4", "s": "1<<4", "f": "3"}}, "16 1<<4 3.0\n"},
	} {
		var out bytes.Buffer
		c.options.Out = &out
		if _, err := p.Run(context.Background(), c.options); err != nil {
			t.Error(err)
		}
		if out.String() != c.want {
			t.Errorf("%v: got %q, want %q", c.options.Set, out.String(), c.want)
		}
	}
}

func TestWrongParametersAreRefused(t *testing.T) {
	p := load(t, "sizes = {'a': {'n': 1}}\ndef main(p): pass\n")
	for _, c := range []struct {
		options host.Options
		want    string
	}{
		{host.Options{Size: "b"}, `there is no size "b": choose one of a`},
		{host.Options{Set: map[string]string{"m": "1"}}, `there is no parameter "m" to set: size a has n`},
		{host.Options{Set: map[string]string{"n": "1.5"}}, "n=1.5: want type int, got float"},
		{host.Options{Set: map[string]string{"n": "x"}}, "undefined: x"},
		{host.Options{Set: map[string]string{"n": "[0 for i in range(100000)]"}}, "too many steps"},
	} {
		_, err := p.Run(context.Background(), c.options)
		wantError(t, err, c.want)
	}
}

// FuzzLoad looks for programs that panic or do not end while they are loaded.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"def main(p): pass", "sizes = {'a': {'n': 1}}\ndef main(p): pass", "x = f32([1, 2]) + 1\n", "'''doc'''", "main = 3",
		"x = array.zeros(u8, (1, 2)).shift(rows=-1)", "x = i32([1])[::-1]", "x = array.ranges(i32([0]), i32([9]))", "while True: pass",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := host.Load(folder(text), "dir/p.star")
		if (p == nil) == (err == nil) {
			t.Errorf("program %v, error %v", p, err)
		}
	})
}
