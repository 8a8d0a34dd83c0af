// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func TestPostDominatorStreamsWarpsAsRecorded(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Load(trace.SpaceGlobal, 1, 2).Guarded(0)
	next := k.Branch()
	k.Store(trace.SpaceGlobal, 2, 1).Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 2, Threads: 64, Record: func(w *gputest.Warp) {
		w.VisitGuarded(0, w.Lanes, 0xff<<w.Warp)
		w.VisitGuarded(0, 0xff, 0xf)
		w.Visit(next, w.Lanes)
	}})
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	policy, err := Policies.Lookup("pdom")
	if err != nil {
		t.Fatal(err)
	}
	d := policy.New()
	if n := d.HardwareWarps(7); n != 7 || !policy.KeepsInstructions {
		t.Errorf("7 warps become %d", n)
	}
	for block := range uint64(2) {
		for w := range 2 {
			s := d.Open(nil, c, block, w)
			want := c.Warp(block, w)
			var visits []seam.Visit
			for v := (seam.Visit{}); s.Next(&v); {
				visits = append(visits, v)
			}
			if diff := cmp.Diff([]seam.Visit{{Mask: gputest.Full}, {Mask: 0xff}, {BasicBlock: next, Mask: gputest.Full}}, visits); diff != "" {
				t.Error(diff)
			}
			if got := []uint32{s.Guard(), s.Guard()}; !cmp.Equal(got, want.Guards) {
				t.Errorf("guards %x, want %x", got, want.Guards)
			}
			var got []trace.Access
			for range want.Accesses {
				a, chunk := s.Access()
				if got = append(got, a); chunk != nil {
					t.Error("an access of the recording has addresses of its own")
				}
			}
			if !cmp.Equal(got, want.Accesses) || len(got) != 3 {
				t.Errorf("accesses %v, want %v", got, want.Accesses)
			}
			s.Close()
		}
	}
}

func TestStreamsAreReused(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	d := &postDominator{}
	if n := testing.AllocsPerRun(100, func() { d.Open(nil, c, 0, 0).Close() }); n > 0 {
		t.Errorf("%v allocations per warp", n)
	}
}
