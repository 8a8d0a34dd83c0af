// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// clang are kernels in CUDA as clang compiles them (testdata/cuda/README.md), and the
// launches that they are tried with. Each has a word of shared memory for a thread first.
var clang = []struct {
	name       string
	at         shape
	parameters []uint32
	words      int // of shared memory, of a thread block
}{
	{"reverse", shape{trace.Dim3{X: 2, Y: 2, Z: 2}, trace.Dim3{X: 64, Y: 1, Z: 1}}, []uint32{3}, 64},
	{"scan", shape{trace.Dim3{X: 2, Y: 1, Z: 1}, trace.Dim3{X: 64, Y: 1, Z: 1}}, []uint32{7}, 64},
	{"transpose", shape{trace.Dim3{X: 1, Y: 3, Z: 1}, trace.Dim3{X: 8, Y: 8, Z: 1}}, []uint32{0xfffffff1, 5}, 64},
	{"stencil", shape{trace.Dim3{X: 3, Y: 1, Z: 1}, trace.Dim3{X: 64, Y: 1, Z: 1}}, []uint32{4}, 66},
}

var (
	sharedName = regexp.MustCompile(`\.shared \.align 4 \.b8 (\w+)\[`)
	parameter  = regexp.MustCompile(`\n\)\n\{`)
)

// dumping is a kernel in PTX that stores its first 64 words before its only ret.
func dumping(t *testing.T, text string) []byte {
	t.Helper()
	if strings.Count(text, "ret;") != 1 {
		t.Fatal("the kernel has several ret")
	}
	text = parameter.ReplaceAllString(text, ",\n.param .u64 out)\n{\n.reg .b32 %r<64>; .reg .b64 %d<2>;\n")
	text = regexp.MustCompile(`\.reg \.b32 \t%r<\d+>;`).ReplaceAllString(text, "")
	store := strings.Replace(dump, ", m;", ", "+sharedName.FindStringSubmatch(text)[1]+";", 1)
	return []byte(strings.Replace(text, "ret;", store+"ret;", 1))
}

func TestCUDAKernelsDoTheSame(t *testing.T) {
	for _, c := range clang {
		text, err := os.ReadFile("testdata/cuda/" + c.name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		program, err := Kernel(parse(t, string(text)), Launch{c.at.grid, c.at.block, c.parameters})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want, err := emulate(dumping(t, string(text)), c.at, c.parameters...)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for processors := 4; processors <= 64; processors *= 2 {
			r, err := execute(program, processors)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var got []uint32
			for block := range int(c.at.grid.Count()) {
				got = append(got, r.Shared[0][block*c.words:][:64]...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s on %d processors: %v, the emulator %v", c.name, processors, got, want)
			}
			for _, d := range r.Dependences {
				t.Errorf("%s depends on %v: %s", c.name, d.On, d.Reason)
			}
		}
	}
}

// What does not fit says where: the place is that of the branch which clang wrote.
func TestACUDAKernelThatDoesNotFitIsRefused(t *testing.T) {
	text, err := os.ReadFile("testdata/cuda/oddeven.ptx")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Kernel(parse(t, string(text)), Launch{shapes[0].grid, shapes[0].block, []uint32{3}})
	if want := "@%p1 bra $L__BB0_4;: line 54 may part lanes again"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, fmt.Sprintf("k.ptx:47:7: %s", want))
	}
}
