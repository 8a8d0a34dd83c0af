// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// unrecorded is a sink that asks for everything and keeps nothing.
type unrecorded struct{}

func (unrecorded) UpdateHeader(func(*trace.Header)) {}

func (unrecorded) AddKernel(*trace.Kernel) (int, error) { return 0, nil }

func (unrecorded) AddEvent(trace.HostEvent) (int, error) { return 0, nil }

func (unrecorded) BeginLaunch(trace.Launch, ...int) (int, error) { return 0, nil }

func (unrecorded) EndLaunch() error { return nil }

func (unrecorded) BeginBlock(uint64) {}

func (unrecorded) Visit(int, uint32, uint32) {}

func (unrecorded) Guard(int, uint32) {}

func (unrecorded) Access(int, uint32, *[32]uint64) {}

func (unrecorded) AccessStrided(int, uint32, uint64, int64) {}

func (unrecorded) EndBlock() error { return nil }

// racing are the workloads with threads that take paths that depend on which thread
// came first (to a vertex; to a lock-free maximum). Alone, in another order, each may
// rightly take another one. Their threads are executed lane by lane, but in the order
// of the recording.
var racing = map[string]bool{"bfs": true, "atomics-contention": true}

// executedAlone gives what each thread does when it is executed alone.
func executedAlone(t *testing.T, w traces.Workload) footprints {
	t.Helper()
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	a := &alone{did: footprints{}, lockstep: racing[w.Name]}
	if _, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 7, Sink: unrecorded{}, Coexecutor: a}); err != nil {
		t.Fatalf("lockstep %v: %v", a.lockstep, err)
	}
	return a.did
}

// eachBlock calls visit for every stored thread block.
func eachBlock(t *testing.T, r *wtape.Reader, visit func(k *trace.Kernel, c *wtape.Chunk, block uint64)) {
	t.Helper()
	c := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, c); err != nil {
			t.Fatal(err)
		}
		for _, block := range c.Blocks() {
			visit(&r.Kernels()[r.Launches()[c.Launch()].Kernel], c, block)
		}
	}
}

// threadPaths projects every thread out of a trace.
func threadPaths(t *testing.T, r *wtape.Reader) footprints {
	did := footprints{}
	plans := map[*trace.Kernel]*projection.Plan{}
	eachBlock(t, r, func(k *trace.Kernel, c *wtape.Chunk, block uint64) {
		if plans[k] == nil {
			plans[k] = projection.NewPlan(k)
		}
		plan := plans[k]
		for n := range int(r.Launches()[c.Launch()].Block.Count()) {
			var s steps
			thread := plan.Thread(c, block, n)
			for id, ok := thread.Next(); ok; id, ok = thread.Next() {
				s.block(id)
				for i := range plan.Guards(id) {
					s.guard(thread.Guard(i))
				}
				for i := range plan.Accesses(id) {
					if a, ok := thread.Address(i); ok {
						s.address(a)
					}
				}
			}
			did[threadID{uint64(c.Launch()), block, n}] = s.sum
		}
	})
	return did
}

// regrouped projects hardware warps and takes the threads apart again.
func regrouped(t *testing.T, r *wtape.Reader, width int, rule projection.Rule) footprints {
	did := footprints{}
	projectors := map[*trace.Kernel]*projection.Projector{}
	var v projection.Visit
	var addresses [projection.MaxWidth]uint64
	eachBlock(t, r, func(k *trace.Kernel, c *wtape.Chunk, block uint64) {
		p := projectors[k]
		if p == nil {
			var err error
			if p, err = projection.New(k, width, rule); err != nil {
				t.Fatal(err)
			}
			projectors[k] = p
		}
		threads := r.Launches()[c.Launch()].Block.Count()
		for h := range p.Warps(threads) {
			var lanes [projection.MaxWidth]steps
			w := p.Open(c, block, h)
			for w.Next(&v) {
				if v.Lanes.Empty() {
					t.Fatal("a visit without lanes")
				}
				eachLane(width, v.Lanes, func(l int) { lanes[l].block(v.Block) })
				for i := range p.Plan().Guards(v.Block) {
					held := w.Guard(&v, i)
					eachLane(width, v.Lanes, func(l int) { lanes[l].guard(held.Has(l)) })
				}
				for i := range p.Plan().Accesses(v.Block) {
					eachLane(width, w.Addresses(&v, i, &addresses), func(l int) { lanes[l].address(addresses[l]) })
				}
			}
			w.Close()
			for l := range width {
				if n := h*width + l; n < int(threads) {
					did[threadID{uint64(c.Launch()), block, n}] = lanes[l].sum
				}
			}
		}
	})
	return did
}

func eachLane(width int, lanes projection.Lanes, visit func(lane int)) {
	for l := range width {
		if lanes.Has(l) {
			visit(l)
		}
	}
}

// sameThreads compares what threads did.
func sameThreads(want, got footprints) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d threads, want %d", len(got), len(want))
	}
	var wrong []threadID
	for id, sum := range want {
		if got[id] != sum {
			wrong = append(wrong, id)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	first := slices.MinFunc(wrong, func(a, b threadID) int {
		return cmp.Or(cmp.Compare(a.launch, b.launch), cmp.Compare(a.block, b.block), a.thread-b.thread)
	})
	return fmt.Errorf("%d threads take another path, first %+v", len(wrong), first)
}

func TestProjectionsAgreeWithEveryThreadExecutedAlone(t *testing.T) {
	for _, w := range tracetest.Draw(t, slices.DeleteFunc(traces.List(), copies), tracetest.Fewer(4, 16)) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			want := executedAlone(t, w)
			file := recorded(t, w, 7)
			r, err := wtape.NewReader(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			if err := sameThreads(want, threadPaths(t, r)); err != nil {
				t.Error("threads:", err)
			}
			for _, p := range []struct {
				width int
				rule  projection.Rule
			}{
				{1, projection.Independent}, {8, projection.PostDominator}, {16, projection.Serial}, {32, projection.Independent},
				{64, projection.Interleaved}, {64, projection.Serial}, {32, projection.Serial}, {32, projection.SerialRounds}, {32, projection.Interleaved}, {128, projection.PostDominator},
			} {
				if err := sameThreads(want, regrouped(t, r, p.width, p.rule)); err != nil {
					t.Errorf("%d lanes, %v: %v", p.width, p.rule, err)
				}
			}
		})
	}
}

func TestProjectingOn32LanesGivesTheRecordedWarps(t *testing.T) {
	list := slices.DeleteFunc(traces.List(), copies)
	for _, w := range tracetest.Draw(t, list, tracetest.Fewer(6, 24)) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			file := recorded(t, w, 7)
			r, err := wtape.NewReader(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			var v projection.Visit
			eachBlock(t, r, func(k *trace.Kernel, c *wtape.Chunk, block uint64) {
				p, err := projection.New(k, 32, projection.PostDominator)
				if err != nil {
					t.Fatal(err)
				}
				for h := range c.WarpsPerBlock() {
					recorded, n := c.Warp(block, h), 0
					warp := p.Open(c, block, h)
					for ; warp.Next(&v); n++ {
						if n == len(recorded.Blocks) || v.Block != recorded.Blocks[n] || v.Lanes != (projection.Lanes{recorded.Masks[n]}) {
							t.Fatalf("launch %d, thread block %d, warp %d: visit %d is of basic block %d by lanes %08x", c.Launch(), block, h, n, v.Block, v.Lanes[0])
						}
					}
					if warp.Close(); n != len(recorded.Blocks) {
						t.Fatalf("launch %d, thread block %d, warp %d: %d visits of %d", c.Launch(), block, h, n, len(recorded.Blocks))
					}
				}
			})
		})
	}
}

// copies reports whether a workload has bulk copies. The one thread of a copy is not recorded, so
// that projections refuse its kernel.
func copies(w traces.Workload) bool { return w.Name == "hopper-gemm" }
