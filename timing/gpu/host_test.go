package gpu

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// preloads is a memory that notes what it is told to preload.
type preloads struct {
	seam.MemorySystem
	addresses []uint64
}

func (p *preloads) Preload(address, _ uint64) { p.addresses = append(p.addresses, address) }

func TestCopiesReachTheMemoryBeforeTheLaunchThatFollowsThem(t *testing.T) {
	timeline := []trace.HostEvent{
		{Kind: trace.EventCopyToDevice, Address: 1}, {Kind: trace.EventFill, Address: 99}, {Kind: trace.EventCopyToDevice, Address: 2},
		{Kind: trace.EventLaunch, Launch: 0}, {Kind: trace.EventCopyToHost, Address: 98},
		{Kind: trace.EventLaunch, Launch: 1}, {Kind: trace.EventCopyToDevice, Address: 3}, {Kind: trace.EventLaunch, Launch: 2},
	}
	memory := &preloads{}
	copies := newHostCopies(memory, timeline)
	for i, want := range [][]uint64{{1, 2}, nil, {3}} {
		memory.addresses = nil
		if err := copies.before(context.Background(), i); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, memory.addresses); diff != "" {
			t.Errorf("launch %d: %s", i, diff)
		}
	}
}

func TestCopiesStopWhenTheReplayIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	memory := &preloads{}
	copies := newHostCopies(memory, []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: 1}})
	if err := copies.before(ctx, 0); err == nil || memory.addresses != nil {
		t.Errorf("error %v, copies %v", err, memory.addresses)
	}
}
