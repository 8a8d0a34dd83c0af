// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// oneWarp records a thread block of 32 threads.
func oneWarp(t *testing.T, k *trace.Kernel, record func(w *wtape.Writer)) *wtape.Chunk {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, k.Name, trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(k); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(0)
	record(w)
	for _, step := range []func() error{w.EndBlock, w.EndLaunch, w.Finish} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Lanes may begin at several basic blocks. They execute what they did, by every rule and at every width, and those that are
// at the entry do it together.
func TestLanesBeginWhereTheyWereRecorded(t *testing.T) {
	k := diamond()
	want := [4][]uint32{{0, 2, 3, 4}, {1, 3, 4}, {0, 2, 3, 4}, {3, 4}} // by lane modulo 4
	c := oneWarp(t, k, func(w *wtape.Writer) {
		w.Visit(0, 0, 0x11111111)
		w.Visit(0, 0, 0x44444444)
		w.Visit(0, 1, 0x22222222)
		w.Visit(0, 2, even)
		w.Guard(0, 0)
		w.AccessStrided(0, 0, 0, 0)
		w.Visit(0, 3, full)
		w.Visit(0, 4, full)
	})
	for rule := range ruleEnd {
		for _, width := range []int{1, 4, 8, 32} {
			p, err := New(k, width, rule)
			if err != nil {
				t.Fatal(err)
			}
			for h := range 32 / width {
				paths, entered := make([][]uint32, width), 0
				w := p.Open(c, 0, h)
				for v := (Visit{}); w.Next(&v); {
					if v.Block == 0 {
						entered++
					}
					for l := range paths {
						if v.Lanes.Has(l) {
							paths[l] = append(paths[l], v.Block)
						}
					}
				}
				w.Close()
				for l, path := range paths {
					if !slices.Equal(path, want[(h*width+l)%4]) {
						t.Fatalf("%v, %d lanes: lane %d of warp %d visits %v, want %v", rule, width, l, h, path, want[(h*width+l)%4])
					}
				}
				if rule != Independent && width > 1 && entered != 1 {
					t.Errorf("%v, %d lanes: the entry is visited %d times", rule, width, entered)
				}
			}
		}
	}
}

// The sides of an indirect branch, which has no fall-through, go in the order of their lowest lanes.
func TestAnIndirectBranchHasNoFallThrough(t *testing.T) {
	k := diamond()
	k.Instructions[0].Guard = trace.Guard{}
	for _, side := range []uint32{even, odd} { // takes the first successor
		c := oneWarp(t, k, func(w *wtape.Writer) {
			w.Visit(0, 0, full)
			w.Visit(0, 1, side)
			w.Visit(0, 2, ^side)
			w.Guard(0, 0)
			w.AccessStrided(0, 0, 0, 0)
			w.Visit(0, 3, full)
			w.Visit(0, 4, full)
		})
		want := fmt.Sprintf("%d: %08x 00000000 slot 0", map[uint32]int{even: 1, odd: 2}[side], uint32(even))
		if got := visits(t, k, c, 32, 0, PostDominator); len(got) != 5 || got[1] != want {
			t.Errorf("lanes %08x go to the first successor: %q, want the second to be %q", side, got, want)
		}
	}
}

// At a barrier a warp arrives with its first lanes, and goes on from there behind it. Lanes whose guard fails
// do not wait; where it fails for all the warp passes.
func TestAWarpArrivesAtABarrierAndGoesOn(t *testing.T) {
	for _, c := range []struct {
		rule    Rule
		guarded bool
		held    uint32
		want    []string
	}{
		{PostDominator, false, 0, []string{"0", "1", "2", "3 arrives", "4 resumes"}},
		{Serial, false, 0, []string{"0", "1", "3 arrives", "2", "3", "4 resumes"}},
		{PostDominator, true, full, []string{"0", "1", "2", "3 arrives", "4 resumes"}},
		{PostDominator, true, 1, []string{"0", "1", "2", "3 arrives", "4 resumes"}},
		{PostDominator, true, 0, []string{"0", "1", "2", "3", "4"}},
		{Serial, true, even, []string{"0", "1", "3 arrives", "2", "3", "4", "4 resumes"}}, // those of the branch go on to their end
	} {
		k := diamond()
		if c.guarded {
			k.Instructions[3].Guard = k.Instructions[2].Guard
		}
		chunk := oneWarp(t, k, func(w *wtape.Writer) {
			w.Visit(0, 0, full)
			w.Visit(0, 1, even)
			w.Visit(0, 2, odd)
			w.Guard(0, 0)
			w.AccessStrided(0, 0, 0, 0)
			w.Visit(0, 3, full)
			if c.guarded {
				w.Guard(0, c.held)
			}
			w.Visit(0, 4, full)
		})
		p, err := New(k, 32, c.rule)
		if err != nil {
			t.Fatal(err)
		}
		w := p.Open(chunk, 0, 0)
		var got []string
		for v := (Visit{}); w.Next(&v); {
			line := fmt.Sprint(v.Block)
			if v.Arrives {
				line += " arrives"
			}
			if v.Resumes {
				line += " resumes"
			}
			got = append(got, line)
		}
		w.Close()
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v, guarded %v by %08x: %s", c.rule, c.guarded, c.held, d)
		}
	}
}

// Lanes that pass a basic block together may have been recorded there one after the other. Each visit that was recorded
// is told once, with its lanes, and its places among guards and accesses.
func TestLanesThatMeetAreFromSeveralRecordedVisits(t *testing.T) {
	k := diamond()
	recorded := []uint32{0x5555, 0xaaaa, 0xffff0000}
	c := oneWarp(t, k, func(w *wtape.Writer) {
		for n, lanes := range recorded {
			w.Visit(0, 0, lanes)
			w.Visit(0, 2, lanes)
			w.Guard(0, lanes)
			w.AccessStrided(0, lanes, uint64(4096*n), 4)
			w.Visit(0, 3, lanes)
			w.Visit(0, 4, lanes)
		}
	})
	p, err := New(k, 32, PostDominator)
	if err != nil {
		t.Fatal(err)
	}
	w := p.Open(c, 0, 0)
	defer w.Close()
	var v Visit
	for w.Next(&v) && v.Block != 2 {
	}
	for n, lanes := range recorded {
		if r, ok := w.Recorded(&v, 0, n); !ok || r != (Recorded{lanes, n, n}) {
			t.Errorf("visit %d is %+v, %t, want lanes %x", n, r, ok, lanes)
		}
	}
	if r, ok := w.Recorded(&v, 0, len(recorded)); ok {
		t.Errorf("another visit: %+v", r)
	}
	if r, ok := w.Recorded(&v, 1, 0); ok {
		t.Errorf("a visit of another warp: %+v", r)
	}
}

// One half of a wider warp waits at a barrier that the other half has no part in. The warp would hang, and so goes on:
// the half that waited has come to where the other one is, and they pass it together.
func TestLanesThatGoOnWithoutABarrierMeetTheOthers(t *testing.T) {
	k := diamond()
	k.Instructions[1], k.Instructions[3] = k.Instructions[3], k.Instructions[1]
	_, c := diamondTrace(t, k)
	want := []string{"0: ffffffff ffffffff slot 0", "1: 55555555 00000000 slot 0", "2: aaaaaaaa ffffffff slot 0", "3: ffffffff ffffffff slot 0", "4: ffffffff ffffffff slot 0"}
	if d := cmp.Diff(want, visits(t, k, c, 64, 0, PostDominator)); d != "" {
		t.Error(d)
	}
}

// The lanes of an inner branch meet at two joins. Those of an outer branch wait at the first of them already, so that the
// inner lanes meet at the second before they go there.
func TestLanesMeetAtTheInnerJoinWhereTheOuterOneIsTaken(t *testing.T) {
	add, branch := trace.Instruction{Opcode: "add", Class: trace.ClassIntAdd}, diamond().Instructions[0]
	k := &trace.Kernel{
		Name:         "nested",
		Instructions: []trace.Instruction{branch, branch, add, add, add, {Opcode: "ret", Class: trace.ClassExit}},
		Blocks: []trace.BasicBlock{
			{First: 0, Count: 1, Successors: []uint32{1, 5}, PostDominator: 5},
			{First: 1, Count: 1, Successors: []uint32{2, 3}, PostDominator: 5, Joins: []uint32{5, 4}},
			{First: 2, Count: 1, Successors: []uint32{4}, PostDominator: 4},
			{First: 3, Count: 1, Successors: []uint32{4}, PostDominator: 4},
			{First: 4, Count: 1, Successors: []uint32{5}, PostDominator: 5},
			{First: 5, Count: 1, PostDominator: trace.NoBlock},
		},
	}
	order := []struct {
		block, lanes uint32
	}{{0, full}, {1, 0xffff}, {2, 0x5555}, {3, 0xaaaa}, {4, 0xffff}, {5, full}}
	var want []string
	c := oneWarp(t, k, func(w *wtape.Writer) {
		for _, x := range order {
			w.Visit(0, x.block, x.lanes)
			want = append(want, fmt.Sprintf("%d: %08x 00000000 slot 0", x.block, x.lanes))
		}
	})
	if d := cmp.Diff(want, visits(t, k, c, 32, 0, PostDominator)); d != "" {
		t.Error(d)
	}
}

// A thread waits at a barrier if its guard holds there, at the first place among the guards as well.
func TestAThreadWaitsAtABarrierWhoseGuardHolds(t *testing.T) {
	for _, held := range []uint32{0, 1, even, full} {
		k := diamond()
		k.Instructions[3].Guard = k.Instructions[2].Guard
		chunk := oneWarp(t, k, func(w *wtape.Writer) {
			w.Visit(0, 0, full)
			w.Visit(0, 1, full)
			w.Visit(0, 3, full)
			w.Guard(0, held)
			w.Visit(0, 4, full)
		})
		for lane := range 32 {
			thread := NewPlan(k).Thread(chunk, 0, lane)
			for b, ok := thread.Next(); ok; b, ok = thread.Next() {
				if got, want := thread.Waits(), b == 3 && held>>lane&1 != 0; got != want {
					t.Errorf("lane %d in block %d, guard %08x: it waits: %v", lane, b, held, got)
				}
			}
		}
	}
}

// A plan knows without a projector from where a join waits: from the first instruction of the sides.
func TestAFreshPlanKnowsFromWhereAJoinWaits(t *testing.T) {
	k := diamond()
	for b := range k.Blocks {
		want := k.Blocks[b].First
		if b == 3 { // the sides are blocks 1 and 2
			want = k.Blocks[1].First
		}
		if got := NewPlan(k).WaitsFrom(uint32(b)); got != want {
			t.Errorf("block %d waits from instruction %d on, want %d", b, got, want)
		}
	}
}
