// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// diamond is a branch whose sides, basic blocks 1 and 2, meet at block 3, which ends
// at a barrier. Block 2 has a guarded load.
func diamond() *trace.Kernel {
	predicate := trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	return &trace.Kernel{
		Name: "diamond",
		Instructions: []trace.Instruction{
			{Opcode: "bra", Class: trace.ClassBranch, Guard: predicate},
			{Opcode: "add", Class: trace.ClassIntAdd},
			{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Guard: predicate},
			{Opcode: "bar", Class: trace.ClassBarrier},
			{Opcode: "ret", Class: trace.ClassExit},
		},
		Blocks: []trace.BasicBlock{
			{First: 0, Count: 1, Successors: []uint32{1, 2}, PostDominator: 3},
			{First: 1, Count: 1, Successors: []uint32{3}, PostDominator: 3},
			{First: 2, Count: 1, Successors: []uint32{3}, PostDominator: 3},
			{First: 3, Count: 1, Successors: []uint32{4}, PostDominator: 4},
			{First: 4, Count: 1, PostDominator: trace.NoBlock},
		},
	}
}

const (
	even = 0x55555555
	odd  = 0xaaaaaaaa
	full = 0xffffffff
)

// diamondTrace has one thread block of 64 threads: the even lanes of warp 0 take the
// fall-through, all others the branch. Of those, lanes 8 and up load from 4096*warp + 4*lane.
func diamondTrace(tb testing.TB, k *trace.Kernel) (*wtape.Reader, *wtape.Chunk) {
	tb.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "diamond", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(k); err != nil {
		tb.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 64, Y: 1, Z: 1}}); err != nil {
		tb.Fatal(err)
	}
	w.BeginBlock(0)
	for warp, taken := range []uint32{odd, full} {
		w.Visit(warp, 0, full)
		if taken != full {
			w.Visit(warp, 1, ^taken)
		}
		w.Visit(warp, 2, taken)
		w.Guard(warp, taken&^0xff)
		w.AccessStrided(warp, taken&^0xff, uint64(4096*warp), 4)
		w.Visit(warp, 3, full)
		w.Visit(warp, 4, full)
	}
	for _, step := range []func() error{w.EndBlock, w.EndLaunch, w.Finish} {
		if err := step(); err != nil {
			tb.Fatal(err)
		}
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		tb.Fatal(err)
	}
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		tb.Fatal(err)
	}
	return r, c
}

// visits prints what a hardware warp does.
func visits(t *testing.T, k *trace.Kernel, c *wtape.Chunk, width, h int, rule Rule) (lines []string) {
	t.Helper()
	p, err := New(k, width, rule)
	if err != nil {
		t.Fatal(err)
	}
	w := p.Open(c, 0, h)
	defer w.Close()
	for v := (Visit{}); w.Next(&v); {
		lines = append(lines, fmt.Sprintf("%d: %08x %08x slot %d", v.Block, v.Lanes[0], v.Lanes[1], v.Slot))
	}
	return lines
}

func TestRulesOrderTheSidesOfABranch(t *testing.T) {
	k := diamond()
	_, c := diamondTrace(t, k)
	for _, test := range []struct {
		width, h int
		rule     Rule
		want     []string
	}{
		{64, 0, PostDominator, []string{"0: ffffffff ffffffff slot 0", "1: 55555555 00000000 slot 0", "2: aaaaaaaa ffffffff slot 0", "3: ffffffff ffffffff slot 0", "4: ffffffff ffffffff slot 0"}},
		{32, 1, PostDominator, []string{"0: ffffffff 00000000 slot 0", "2: ffffffff 00000000 slot 0", "3: ffffffff 00000000 slot 0", "4: ffffffff 00000000 slot 0"}},
		// Each side goes on alone up to the barrier, where they meet.
		{64, 0, Serial, []string{"0: ffffffff ffffffff slot 0", "1: 55555555 00000000 slot 0", "3: 55555555 00000000 slot 0",
			"2: aaaaaaaa ffffffff slot 0", "3: aaaaaaaa ffffffff slot 0", "4: ffffffff ffffffff slot 0"}},
		// The sides are of a basic block each, so that they end in the same round.
		{64, 0, SerialRounds, []string{"0: ffffffff ffffffff slot 0", "1: 55555555 00000000 slot 0", "2: aaaaaaaa ffffffff slot 0", "3: ffffffff ffffffff slot 0", "4: ffffffff ffffffff slot 0"}},
		{16, 1, Interleaved, []string{"0: 0000ffff 00000000 slot 0", "1: 00005555 00000000 slot 0", "2: 0000aaaa 00000000 slot 1", "3: 0000ffff 00000000 slot 0", "4: 0000ffff 00000000 slot 0"}},
		{2, 0, Independent, []string{"0: 00000002 00000000 slot 0", "0: 00000001 00000000 slot 0", "2: 00000002 00000000 slot 0", "1: 00000001 00000000 slot 0",
			"3: 00000002 00000000 slot 0", "3: 00000001 00000000 slot 0", "4: 00000002 00000000 slot 0", "4: 00000001 00000000 slot 0"}},
		{1, 3, PostDominator, []string{"0: 00000001 00000000 slot 0", "2: 00000001 00000000 slot 0", "3: 00000001 00000000 slot 0", "4: 00000001 00000000 slot 0"}},
	} {
		if d := cmp.Diff(test.want, visits(t, k, c, test.width, test.h, test.rule)); d != "" {
			t.Errorf("%d lanes, %v: %s", test.width, test.rule, d)
		}
	}
}

// The side that the branch falls through to is first, whichever lanes take it.
func TestTheFallThroughGoesFirst(t *testing.T) {
	for _, taken := range []uint32{odd, even, 1, ^uint32(1)} {
		k := diamond()
		var file bytes.Buffer
		w, err := wtape.NewWriter(&file, "diamond", trace.Header{}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		w.AddKernel(k)
		w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
		w.BeginBlock(0)
		w.Visit(0, 0, full)
		w.Visit(0, 2, taken) // the order in the trace does not matter
		w.Guard(0, 0)
		w.AccessStrided(0, 0, 0, 0)
		w.Visit(0, 1, ^taken)
		w.Visit(0, 3, full)
		w.Visit(0, 4, full)
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
		got := visits(t, k, c, 32, 0, PostDominator)
		if want := fmt.Sprintf("1: %08x", ^taken); len(got) != 5 || !strings.HasPrefix(got[1], want) {
			t.Errorf("lanes %08x take the branch: %q, want the second to be %q", taken, got, want)
		}
	}
}

func TestGuardsAndAddressesFollowTheirLanes(t *testing.T) {
	k := diamond()
	_, c := diamondTrace(t, k)
	p, err := New(k, 64, PostDominator)
	if err != nil {
		t.Fatal(err)
	}
	w := p.Open(c, 0, 0)
	defer w.Close()
	var v Visit
	for w.Next(&v) && v.Block != 2 {
	}
	want := Lanes{odd &^ 0xff, full &^ 0xff}
	if held := w.Guard(&v, 0); held != want {
		t.Errorf("guard %08x, want %08x", held, want)
	}
	var addresses [MaxWidth]uint64
	if lanes := w.Addresses(&v, 0, &addresses); lanes != want || addresses[9] != 36 || addresses[40] != 4096+4*8 || addresses[0] != 0 {
		t.Errorf("lanes %08x have %x", lanes, addresses)
	}
	thread := p.Plan().Thread(c, 0, 40)
	for id, ok := thread.Next(); ok && id != 2; id, ok = thread.Next() {
	}
	if a, ok := thread.Address(0); a != 4096+4*8 || !ok || p.Plan().Memory(2, 0) != 2 {
		t.Errorf("thread 40 loads from %x, %v", a, ok)
	}
}

func TestWithoutPostDominatorsEveryLaneStillEnds(t *testing.T) {
	for _, wrong := range []uint32{trace.NoBlock, 1, 0} { // unknown, never reached by some, before the branch
		k := diamond()
		for i := range k.Blocks {
			k.Blocks[i].PostDominator = wrong
		}
		_, c := diamondTrace(t, k)
		for rule := range ruleEnd {
			var count [64]int
			p, err := New(k, 64, rule)
			if err != nil {
				t.Fatal(err)
			}
			w := p.Open(c, 0, 0)
			for v := (Visit{}); w.Next(&v); {
				for l := range count {
					if v.Lanes.Has(l) {
						count[l]++
					}
				}
			}
			w.Close()
			for l, n := range count {
				if n != 4 {
					t.Errorf("post-dominators %d, %v: lane %d makes %d visits of 4", wrong, rule, l, n)
				}
			}
		}
	}
}

func TestWidthsAndRulesThatDoNotExistAreRefused(t *testing.T) {
	for _, width := range []int{0, -1, 3, 256} {
		if _, err := New(diamond(), width, Serial); err == nil || !strings.Contains(err.Error(), "power of two from 1 to 128") {
			t.Errorf("%d lanes: %v", width, err)
		}
	}
	if _, err := New(diamond(), 32, ruleEnd); err == nil || !strings.Contains(err.Error(), "rule 5") {
		t.Errorf("a rule beyond the last: %v", err)
	}
	if _, err := ParseRule("ipdom"); err == nil || !strings.Contains(err.Error(), "post-dominator, serial, serial-rounds, interleaved, independent") {
		t.Errorf("%v", err)
	}
	for rule := range ruleEnd {
		if got, err := ParseRule(rule.String()); got != rule || err != nil {
			t.Errorf("%v is read as %v, %v", rule, got, err)
		}
	}
}

func TestProjectingAllocatesNothingInSteadyState(t *testing.T) {
	k := diamond()
	_, c := diamondTrace(t, k)
	for rule := range ruleEnd {
		p, err := New(k, 64, rule)
		if err != nil {
			t.Fatal(err)
		}
		var v Visit
		if n := testing.AllocsPerRun(50, func() {
			w := p.Open(c, 0, 0)
			for w.Next(&v) {
			}
			w.Close()
		}); n > 0 {
			t.Errorf("%v: %v allocations a warp", rule, n)
		}
	}
}

// BenchmarkVisits isolates the cost of a projected visit of 64 lanes: choosing the
// path, collecting the lanes, moving them on. No guards or addresses are read.
func BenchmarkVisits(b *testing.B) {
	k := diamond()
	_, c := diamondTrace(b, k)
	for rule := range ruleEnd {
		b.Run(rule.String(), func(b *testing.B) {
			p, err := New(k, 64, rule)
			if err != nil {
				b.Fatal(err)
			}
			var v Visit
			n := 0
			for b.Loop() {
				w := p.Open(c, 0, 0)
				for w.Next(&v) {
					n++
				}
				w.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/visit")
		})
	}
}
