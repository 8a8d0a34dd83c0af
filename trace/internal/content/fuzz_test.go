// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// FuzzDecodeChunk feeds the column decoder directly.
func FuzzDecodeChunk(f *testing.F) {
	for seed := range uint64(3) {
		r := testtraces.Open(f, testtraces.Random(20+seed).Encode(f, wtape.Options{}))
		c := new(content.Chunk)
		for i := range r.Chunks() {
			if err := r.Content().ReadChunkNumber(i, c); err != nil {
				f.Fatal(err)
			}
			f.Add(bytes.Clone(c.Frame.Raw))
		}
	}
	kernel := testtraces.SmallKernel()
	small := &content.Content{
		Kernels: []trace.Kernel{*kernel}, Plans: []*content.Plan{content.NewPlan(kernel)},
		Launches: []trace.Launch{{Grid: trace.Dim3{X: 100, Y: 1, Z: 1}, Block: trace.Dim3{X: 40, Y: 1, Z: 1}}, {Grid: trace.Dim3{X: 100, Y: 1, Z: 1}, Block: trace.Dim3{X: 1, Y: 1, Z: 1}}},
	}
	// The same with two loads, for the lane models.
	var gathering *content.Content
	for _, x := range testtraces.Gathers() {
		x.Warps, x.Visits = 3, 3
		gathering = testtraces.Open(f, x.Record(f)).Content()
		c := new(content.Chunk)
		if err := gathering.ReadChunkNumber(0, c); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(c.Frame.Raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, whole := range []*content.Content{small, gathering} {
			c := new(content.Chunk)
			c.Frame.Raw = raw
			if err := c.Decode(whole.Launches, whole.Plans); err == nil {
				testtraces.Touch(c, whole)
			}
		}
	})
}

// FuzzKernelMessage feeds the conversion and validation of the static part.
func FuzzKernelMessage(f *testing.F) {
	for _, k := range []*trace.Kernel{testtraces.SaxpyKernel(), testtraces.SmallKernel(), testtraces.BFSKernel()} {
		raw, err := proto.Marshal(messages.FromKernel(k))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := new(content.Content)
		if err := c.AddKernel(raw); err != nil {
			return
		}
		again, err := proto.Marshal(messages.FromKernel(&c.Kernels[0]))
		if err != nil {
			return // a string that is not UTF-8
		}
		if err := c.AddKernel(again); err != nil {
			t.Errorf("a kernel that was read cannot be written and read: %v", err)
		}
	})
}
