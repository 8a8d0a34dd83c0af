// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func TestGenericAccessesAreResolvedByTheirFirstLane(t *testing.T) {
	k := gputest.NewKernel("generic")
	k.Load(trace.SpaceGeneric, 1, 2).Exit()
	for base, want := range map[uint64]trace.Space{
		trace.SharedWindowBase + 64: trace.SpaceShared, trace.LocalWindowBase + 64: trace.SpaceLocal,
		trace.ConstWindowBase + 64: trace.SpaceConst, 0xC0000040: trace.SpaceGlobal,
	} {
		for _, irregular := range []bool{false, true} {
			var got []seam.MemoryAccess
			memory := &gputest.Memory{LatencyCycles: 1, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { got = append(got, *a) }}
			r := genericTrace(t, k, base, irregular)
			if _, err := build(t, gputest.Machine(), memory).Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0].Space != want {
				t.Fatalf("base %#x: %+v, want space %v", base, got, want)
			}
			if relative := got[0].Access.Base + 4*uint64(got[0].Access.Stride); !irregular && want != trace.SpaceGlobal && relative != 64+4*4 {
				t.Errorf("base %#x: lane 4 is at %#x of the space, want %#x", base, relative, 64+4*4)
			}
		}
	}
}

// genericTrace has one load by lanes 4..31 at base+4*lane, or scattered.
func genericTrace(t *testing.T, k *gputest.Kernel, base uint64, irregular bool) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.AddKernel(&k.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Kernel: id, Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(0)
	const lanes = 0xfffffff0
	w.Visit(0, 0, lanes)
	var addresses [trace.WarpSize]uint64
	for l := range addresses {
		addresses[l] = base + uint64(4*l)
		if irregular {
			addresses[l] = base + uint64(l*l)%64*4
		}
	}
	w.Access(0, lanes, &addresses)
	if err := errors.Join(w.EndBlock(), w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
