// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

// script is a kernel under test: a body in PTX that finds its thread index in
// %r0 and the address of its own output word in %d0. The addresses of all
// output and input words are in %d1 and %d2.
type script struct {
	target       string // sm_80 if empty
	declarations string // at module scope
	body         string
	grid, block  trace.Dim3
	shared       uint32
	input        []uint32
	words        int // of output; the number of threads if zero
	options      Options
	recorder     Recorder
}

const scriptPrologue = `.visible .entry kernel(.param .u64 out, .param .u64 in)
{
.reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<32>; .reg .b64 %d<32>;
ld.param.u64 %d1, [out];
ld.param.u64 %d2, [in];
mov.u32 %r0, %tid.x;
mad.wide.u32 %d0, %r0, 4, %d1;
`

// scriptLine is the line of the first line of a script's body.
var scriptLine = strings.Count(ptxHeader+scriptPrologue, "\n") + 1

// launch runs the script and gives its output.
func (s *script) launch(t testing.TB) ([]uint32, error) {
	t.Helper()
	if s.grid.X == 0 {
		s.grid = dims(1, 1)
	}
	if s.block.X == 0 {
		s.block = dims(32, 1)
	}
	if s.words == 0 {
		s.words = int(s.block.Count() * s.grid.Count())
	}
	text := ptxHeader + strings.ReplaceAll(s.declarations, "\n", " ") + strings.TrimPrefix(scriptPrologue, "\n") + s.body + "\n}\n"
	if s.options.MinTogether == 0 {
		s.options.MinTogether = fewTogether
	}
	if s.target != "" {
		text = strings.Replace(text, "sm_80", s.target, 1)
	}
	d := NewDevice(s.options)
	k := kernelOf(t, d, "script.ptx", text, "kernel")
	out := upload(t, d, "out", make([]uint32, s.words))
	in := upload(t, d, "in", append(s.input, 0))
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: s.grid, Block: s.block, DynamicShared: s.shared, Arguments: pack(out, in), Recorder: s.recorder})
	return download(t, d, out, s.words), err
}

// run is launch for scripts that must not fail.
func (s *script) run(t testing.TB) []uint32 {
	t.Helper()
	words, err := s.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// fault runs a script that must fault.
func (s *script) fault(t testing.TB) *coexecution.Fault {
	t.Helper()
	_, err := s.launch(t)
	var f *coexecution.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a fault", err)
	}
	return f
}

// expect compares each word with what f says of it.
func expect(t testing.TB, words []uint32, f func(i int) uint32) {
	t.Helper()
	for i, got := range words {
		if want := f(i); got != want {
			t.Fatalf("word %d is %#x, want %#x", i, got, want)
		}
	}
}
