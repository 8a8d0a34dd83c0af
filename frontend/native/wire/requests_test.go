// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
)

// body puts numbers and bytes behind each other, as a runtime library sends them.
func body(fields ...any) (out []byte) {
	for _, f := range fields {
		switch f := f.(type) {
		case int:
			out = AppendNumbers(out, uint64(f))
		case string:
			out = AppendBytes(out, f)
		}
	}
	return out
}

// Each field of a message is where the runtime libraries put it, and a message without its last number, or with one
// more, is refused.
func TestMessagesHaveTheirFields(t *testing.T) {
	dim := func(x, y, z uint32) trace.Dim3 { return trace.Dim3{X: x, Y: y, Z: z} }
	launch := Launch{Function: 1, Stream: 2, Grid: dim(3, 4, 5), Block: dim(6, 7, 8), Cluster: dim(9, 10, 11), Shared: 12, Cooperative: true, Arguments: []byte("arguments")}
	launched := []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, "arguments"}
	for _, c := range []struct {
		kind Kind
		body []byte
		want Request
	}{
		{KindHello, body(3, 1, "program"), &Hello{Version: 3, API: APIOpenCL, Program: "program"}},
		{KindModule, body(1, "image"), &Module{Registered: true, Image: []byte("image")}},
		{KindFunction, body(4, "kernel"), &Function{Module: 4, Name: "kernel"}},
		{KindSymbol, body(5, "table"), &Symbol{Module: 5, Name: "table"}},
		{KindAllocate, body(2, 4096), &Allocate{Kind: AllocatePinned, Bytes: 4096}},
		{KindFree, body(77), &Free{Address: 77}},
		{KindLaunch, body(launched...), &launch},
		{KindLaunch, body(1, 0, 2, 1, 1, 32, 1, 1, 0, 0, 0, 0, 0, ""), &Launch{Function: 1, Grid: dim(2, 1, 1), Block: dim(32, 1, 1), Arguments: []byte{}}},
		{KindLoad, body(6), &Load{Module: 6}},
		{KindUnload, body(6), &Unload{Module: 6}},
		{KindBinary, body(6), &Binary{Module: 6}},
		{KindProfile, body(6), &Profile{Event: 6}},
		{KindCopied, body(1, 2, 3, 4, 5, 0), &Copied{ToDevice: true, Address: 2, Host: 3, Bytes: 4, Stream: 5}},
		{KindCopied, body(0, 2, 3, 4, 5, 1), &Copied{Address: 2, Host: 3, Bytes: 4, Stream: 5, Blocking: true}},
		{KindMove, body(1, 2, 3, 4, 5, 6, 7), &Move{To: 1, From: 2, Width: 3, Height: 4, ToPitch: 5, FromPitch: 6, Stream: 7}},
		{KindWrite, body(1, 2, 3, 1, "data"), &Write{Address: 1, Host: 2, Stream: 3, Blocking: true, Data: []byte("data")}},
		{KindRead, body(1, 2, 3, 4), &Read{Address: 1, Bytes: 2, Host: 3, Stream: 4}},
		{KindWait, body(3, 9), &Wait{Mode: WaitEvent, Of: 9}},
		{KindStream, body(2, 5, 0), &Stream{Ends: true, ID: 5}},
		{KindStream, body(1, 5, 1), &Stream{ID: 5, Flags: 1}},
		{KindRecord, body(1, 2), &Record{Event: 1, Stream: 2}},
		{KindStreamWait, body(1, 2), &StreamWait{Stream: 1, Event: 2}},
		{KindElapsed, body(1, 2), &Elapsed{Start: 1, End: 2}},
		{KindTexture, body("name", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 0, 1, 0),
			&Texture{Name: "name", Address: 1, Width: 2, Height: 3, Depth: 4, Layers: 5, Channels: 6, Bits: 7, Format: 8, Pitch: 9, Modes: [3]uint32{10, 11, 12}, Linear: true, Floats: true}},
		{KindBind, body(1, "name", 2), &Bind{Module: 1, Handle: 2, Name: "name"}},
		{KindFill, body(1, 2, 3, 4, 5, 6, 7), &Fill{Address: 1, Value: 2, Element: 3, Width: 4, Height: 5, Pitch: 6, Stream: 7}},
		{KindJoin, body(9, 2, 7, 8), &Join{Event: 9, Of: []uint64{7, 8}}},
		{KindJoin, body(9, 0), &Join{Event: 9}},
		{KindCompile, body(2, "-O1", "/folder", 2, "one", "two", 1, "name", "header"),
			&Compile{Stage: StageLink, Options: "-O1", Folder: "/folder", Inputs: [][]byte{[]byte("one"), []byte("two")}, Names: []string{"name"}, Headers: [][]byte{[]byte("header")}}},
		{KindCompile, body(0, "", "", 1, "one", 0), &Compile{Inputs: [][]byte{[]byte("one")}}},
		{KindTensorMap, body(7, 1, 1, 0, 1<<20, 2, 64, 32, 1, 256, 1, 16, 2, 1, 1, 0, 0),
			&TensorMap{Element: 7, Swizzle: 1, FillNaN: true, Address: 1 << 20, Sizes: []uint64{64, 32}, Strides: []uint64{256}, Box: []uint64{16}, ElementStrides: []uint64{1, 1}}},
		{KindRange, body(append(launched, 13, 14, 15, 2, "constants")...), &Range{Launch: launch, Offset: [3]uint32{13, 14, 15}, Dimensions: 2, Constants: []byte("constants")}},
	} {
		got, err := Decode(Message{c.kind, c.body})
		if err != nil {
			t.Errorf("%T: %v", c.want, err)
			continue
		}
		empty := cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) })
		if diff := cmp.Diff(c.want, got, empty); diff != "" {
			t.Errorf("%T (-want +got):\n%s", c.want, diff)
		}
		for _, damaged := range [][]byte{c.body[:len(c.body)-1], append(bytes.Clone(c.body), make([]byte, 8)...)} {
			if got, err := Decode(Message{c.kind, damaged}); !errors.Is(err, ErrMalformed) {
				t.Errorf("%T of %d bytes for %d: %+v, %v", c.want, len(damaged), len(c.body), got, err)
			}
		}
	}
}

// Stages and interfaces that there are none of are refused, and so are numbers of 32 bits with more.
func TestNumbersOutOfRangeAreRefused(t *testing.T) {
	for what, m := range map[string]Message{
		"a stage":     {KindCompile, body(int(stageEnd), "", "", 0, 0)},
		"an API":      {KindHello, body(3, int(apiEnd), "")},
		"a wait":      {KindWait, body(int(waitEnd), 0)},
		"a grid":      {KindLaunch, body(1, 2, 1<<32, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, "")},
		"some inputs": {KindCompile, body(0, "", "", 1<<40, "", 0)},
		"some events": {KindJoin, body(1, 1<<61, 7)},
	} {
		if got, err := Decode(m); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}
