// SPDX-License-Identifier: Apache-2.0

package resourceusage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What nvcc 12 prints with -Xptxas -v, with a device function and a second architecture.
// Then lines in the form that Visual Studio gives those of a build, and what ptxas of CUDA
// 4 prints.
const ptxas = `nvcc -Xptxas -v -c a.cu
ptxas info    : 0 bytes gmem, 900 bytes cmem[3]
ptxas info    : Compiling entry function '_Z11convolutionPfPKfii' for 'sm_75'
ptxas info    : Function properties for _Z11convolutionPfPKfii
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 62 registers, used 1 barriers, 12320 bytes smem, 376 bytes cmem[0]
ptxas info    : Compile time = 12.034 ms
ptxas info    : Function properties for _Z1ff
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
1>  ptxas info    : Compiling entry function 'scale' for 'sm_86'
1>  ptxas info    : Function properties for scale
1>      696 bytes stack frame, 800 bytes spill stores, 1872 bytes spill loads
1>  ptxas info    : Used 255 registers, 712 bytes cumulative stack size, 324 bytes cmem[0], 4 bytes cmem[2]
ptxas info : Compiling entry function 'scale' for 'sm_20'
ptxas info : Used 63 registers, 4+0 bytes lmem, 48+16 bytes smem
`

// What cuobjdump -res-usage prints of a program for two architectures.
const cuobjdump = `
Fatbin elf code:
================
arch = sm_70
code version = [1,7]
producer = <unknown>
host = linux
compile_size = 64bit
identifier = add.cu

Resource usage:
 Common:
  GLOBAL:0 CONSTANT[3]:900
 Function _Z1kPfS_:
  REG:17 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:336 CONSTANT[2]:60 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z1ff:
  REG:14 STACK:0 SHARED:0 LOCAL:0 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin elf code:
================
arch = sm_90a
code version = [1,8]
host = linux
compile_size = 64bit

Resource usage:
 Common:
  GLOBAL:0
 Function _Z1kPfS_:
  REG:20 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:544 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin ptx code:
================
arch = sm_90
code version = [8,4]
compressed
`

func TestOutputOfBothTools(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Usage
	}{
		{ptxas, []Usage{{"_Z11convolutionPfPKfii", 75, 62, 6}, {"scale", 86, 255, 13}, {"scale", 20, 63, 15}}},
		{cuobjdump, []Usage{{"_Z1kPfS_", 70, 17, 15}, {"_Z1ff", 70, 14, 17}, {"_Z1kPfS_", 90, 20, 30}}},
		{ptxas + cuobjdump, nil},
		{strings.ReplaceAll(cuobjdump, "\n", "\r\n"), []Usage{{"_Z1kPfS_", 70, 17, 15}, {"_Z1ff", 70, 14, 17}, {"_Z1kPfS_", 90, 20, 30}}},
	} {
		got, err := Parse(strings.NewReader(c.text), "log")
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(c.want, got); c.want != nil && diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		} else if c.want == nil && len(got) != 6 {
			t.Errorf("both together: %v", got)
		}
	}
}

func TestWhatIsNoOutputIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "log: there is no \"ptxas info",
		"ptxas info    : Used 12 registers\n": "log:1: a number of registers without",
		"ptxas info : Compiling entry function 'k' for 'sm_75'\n":                                                        "log:1: kernel k: there is no \"Used",
		"ptxas info : Compiling entry function 'k' for 'sm_75'\nptxas info : Compiling entry function 'l' for 'sm_75'\n": "log:2: kernel k: there is no \"Used",
		"ptxas info : Compiling entry function k for sm_75\n":                                                            "log:1: expected Compiling entry function 'NAME'",
		"ptxas info : Compiling entry function 'k' for 'compute_75'\n":                                                   "log:1: expected an architecture sm_NN, found \"compute_75\"",
		"\nptxas info : Compiling entry function 'k' for 'sm_75'\nptxas info : Used many registers\n":                    "log:3: expected Used N registers, found",
		"ptxas info : Compiling entry function 'k' for 'sm_75'\nptxas info : Used 256 registers\n":                       "log:2: kernel k: a thread has at most 255 registers, not \"256\"",
		"ptxas info : Compiling entry function 'k' for 'sm_75'\nptxas info : Used 99999999999999999999 registers\n":      "log:2: kernel k: a thread has at most",
		"Resource usage:\n":                                               "log:1: a list of resources without \"arch = sm_NN\"",
		"arch = sm_75\nResource usage:\n Function k:\n":                   "log:3: function k: there is no REG:N",
		"arch = sm_75\nResource usage:\n Function k:\n\n":                 "log:4: function k: expected REG:N, found \"\"",
		"arch = sm_75\nResource usage:\n Function k:\n  REG:-1 STACK:0\n": "log:4: kernel k: a thread has at most",
		"arch = sm_75\nResource usage:\n  REG:3 STACK:0\n":                "log:3: REG: without a Function",
		"arch = native\n": "log:1: expected an architecture sm_NN",
		"arch = sm_75\nResource usage:\n Function k:\n  REG:3 STACK:0\n\narch = sm_75\nResource usage:\n Function k:\n  REG:4 STACK:0\n": "log:9: kernel k has 4 registers here for sm_75, and 3 in line 4",
		strings.Repeat("x", maxLine+1): "log:1: the line is longer than",
	} {
		if _, err := Parse(strings.NewReader(text), "log"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

func TestTheMachinesGenerationIsChosen(t *testing.T) {
	found, err := Parse(strings.NewReader(ptxas+cuobjdump), "log")
	if err != nil {
		t.Fatal(err)
	}
	got, missing, err := For(found, "fermi", []string{"scale", "other"})
	if err != nil || !cmp.Equal(got, map[string]int{"scale": 63}) || !cmp.Equal(missing, []string{"other"}) {
		t.Errorf("%v, %v, %v", got, missing, err)
	}
	if s := Setting(map[string]int{"b": 2, "a": 1}); s != "gpu.kernel_registers=given(a=1,b=2)" {
		t.Error(s)
	}
	for _, c := range []struct{ generation, kernel, want string }{
		{"none", "scale", "kernel scale has 255 registers on sm_86 (line 13) and 63 on sm_20 (line 15)"},
		{"turing", "scale", "nothing is said of scale on turing (sm_75); it tells of _Z11convolutionPfPKfii on sm_75, scale on sm_86"},
	} {
		if _, _, err := For(found, c.generation, []string{c.kernel}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(ptxas)
	f.Add(cuobjdump)
	f.Fuzz(func(t *testing.T, text string) {
		found, err := Parse(strings.NewReader(text), "log")
		if err == nil && len(found) == 0 {
			t.Error("nothing was found, and nothing is wrong")
		}
		for _, u := range found {
			if u.Kernel == "" || u.Registers < 1 || u.Registers > maxRegisters || u.Architecture < 10 || u.Line < 1 {
				t.Errorf("%+v", u)
			}
		}
	})
}
