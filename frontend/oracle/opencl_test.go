// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/binary"
	"testing"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/oracle/internal/random"
)

func TestOpenCLKernelsComputeWhatPoCLComputes(t *testing.T) {
	input, expected := OpenCLInput(random.Input), stored(t, "opencl/kernels.out")
	if len(expected) != len(input)*len(OpenCLKernels()) || len(OpenCLKernels()) < 7 {
		t.Fatalf("%d bytes of expected output for the kernels %v", len(expected), OpenCLKernels())
	}
	for _, level := range OpenCLLevels {
		name := "opencl/kernels-" + level + ".ptx"
		d, m := load(t, name, stored(t, name))
		in, out := buffer(t, d, "in", input), buffer(t, d, "out", make([]byte, len(input)))
		arguments := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
		for i, kernel := range OpenCLKernels() {
			if err := d.Fill(out, 0, uint64(len(input))); err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel(kernel)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Launch(emulator.LaunchRequest{Kernel: k, Grid: dims(OpenCLGroups, 1), Block: dims(OpenCLItems, 1), Arguments: arguments}); err != nil {
				t.Errorf("%s %s: %v", name, kernel, err)
				continue
			}
			got := make([]byte, len(input))
			if err := d.Read(out, got); err != nil {
				t.Fatal(err)
			}
			compareWords(t, name+" "+kernel, got, expected[i*len(input):][:len(input)])
		}
	}
}

// compareWords reports, for each of the words of a work-item, the first
// work-item for which it is wrong.
func compareWords(t *testing.T, name string, got, want []byte) {
	t.Helper()
	var told [OpenCLWords]bool
	for i := 0; i < len(got); i += 4 {
		g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
		if word := i / 4 % OpenCLWords; g != w && !told[word] {
			told[word] = true
			t.Errorf("%s: item %d word %d is %#x, want %#x", name, i/4/OpenCLWords, word, g, w)
		}
	}
}
