// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
)

// events is a Sink that keeps the timeline.
type events struct {
	log
	all []trace.HostEvent
}

func (l *events) AddEvent(e trace.HostEvent) (int, error) {
	l.all = append(l.all, e)
	return l.log.AddEvent(e)
}

// A computation names host arrays: that of a buffer which was copied, elements of it,
// and a new one.
func TestAComputationRecordsWhatItGoesThrough(t *testing.T) {
	p := load(t, inMain(`b = gpu.buffer("x", array.zeros(f32, 4))
c = gpu.alloc("y", u8, 5000)
host.compute("think", operations=99, reads=[b, (b, 1, 2)], writes=[c, b])`))
	var l events
	if _, err := p.Run(context.Background(), host.Options{Sink: &l}); err != nil {
		t.Fatal(err)
	}
	var got []trace.HostEvent
	for _, e := range l.all {
		if e.Kind == trace.EventHostAllocate || e.Kind == trace.EventCompute {
			got = append(got, e)
		}
	}
	const x, y = 0x7f0000000000, 0x7f0000001000
	want := []trace.HostEvent{
		{Kind: trace.EventHostAllocate, Name: "x", HostAddress: x, Bytes: 16},
		{Kind: trace.EventHostAllocate, Name: "y", HostAddress: y, Bytes: 5000},
		{Kind: trace.EventCompute, Name: "think", Operations: 99, Accesses: []trace.HostAccess{
			{HostAddress: x, Bytes: 16}, {HostAddress: x + 4, Bytes: 8}, {HostAddress: y, Bytes: 5000, Writes: true}, {HostAddress: x, Bytes: 16, Writes: true},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
