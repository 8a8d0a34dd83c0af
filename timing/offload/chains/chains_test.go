// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
)

// start gives every test a varying %rd1, parameters and an index.
const start = `ld.param.f32 %fs, [scale];
ld.param.s32 %rs, [limit];
mov.u32 %r0, %tid.x;
`

// describe names the chains of a kernel: pattern, members and whether the last is
// split.
func describe(t *testing.T, text string) []string {
	t.Helper()
	p := find(t, assemble(t, text))
	var out []string
	for _, c := range p.Chains {
		s := fmt.Sprint(int(c.Pattern), c.Members)
		if c.Split {
			s += " split"
		}
		out = append(out, s)
	}
	return out
}

func find(t testing.TB, k *trace.Kernel) *Plan {
	t.Helper()
	p, err := Find(k)
	if err != nil {
		t.Fatal(err)
	}
	check(t, k, p)
	return p
}

// check holds a plan against what every plan obeys.
func check(t testing.TB, k *trace.Kernel, p *Plan) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(p.Order))
	for i, at := range sorted {
		if int(at) != i {
			t.Fatalf("order %v is no permutation", p.Order)
		}
	}
	for b := range k.Blocks {
		at := &k.Blocks[b]
		for _, i := range p.Order[at.First : at.First+at.Count] {
			if i < at.First || i >= at.First+at.Count {
				t.Fatalf("instruction %d has left its basic block %d", i, b)
			}
		}
	}
	for n, c := range p.Chains {
		place := slices.Index(p.Order, c.Members[0])
		if !slices.Equal(p.Order[place:place+len(c.Members)], c.Members) {
			t.Errorf("chain %v is not contiguous in %v", c.Members, p.Order)
		}
		for m, i := range c.Members {
			want := Intermediate
			if m == 0 {
				want = First
			} else if m == len(c.Members)-1 {
				want = Last
			}
			if p.Tags[i] != want || p.ChainOf[i] != int32(n) {
				t.Errorf("instruction %d of chain %d has tag %02b of chain %d", i, n, p.Tags[i], p.ChainOf[i])
			}
		}
		if k.Instructions[c.Members[0]].Class != trace.ClassLoad {
			t.Errorf("chain %v begins with no load", c.Members)
		}
	}
}

func TestEachPatternOfTable1IsFound(t *testing.T) {
	cases := []struct{ what, body, want string }{
		{"1: c=f(a,b)", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd3], %f3; ret;", "1 [3 4 5 6]"},
		{"2: c=f(a,b,c)", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; sub.f32 %f3, %f1, %f2; rcp.f32 %f4, %f3; st.global.f32 [%rd3], %f4; ret;", "2 [3 4 5]"},
		{"3: c=a", "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1; ret;", "3 [3 4]"},
		{"4: one operand", "ld.global.f32 %f1, [%rd1]; neg.f32 %f2, %f1; st.global.f32 [%rd2], %f2; ret;", "4 [3 4 5]"},
		{"4: the same operand twice", "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2; ret;", "4 [3 4 5]"},
		{"5: h(a,b)", "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2]; setp.ne.u32 %p1, %r1, %r2; @%p1 bra E; mov.u32 %r3, 1; E: ret;", "5 [3 4 5]"},
		{"6: h(a,i), a literal", "ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; selp.u32 %r2, 1, 0, %p1; st.global.u32 [%rd2], %r2; ret;", "6 [3 4]"},
		{"6: h(a,i), a parameter", "ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, %rs; selp.u32 %r2, 1, 0, %p1; st.global.u32 [%rd2], %r2; ret;", "6 [3 4]"},
		{"7: c=f(a,i)", "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; ret;", "7 [3 4 5]"},
		{"8: d=f(a,d,g(b,i))", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; mul.f32 %f3, %f2, %fs; min.f32 %f4, %f1, %f3; rcp.f32 %f5, %f4; st.global.f32 [%rd3], %f5; ret;", "8 [3 4 5 6]"},
		{"8: in one multiply-add", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f4, %fs, %f2, %f1; rcp.f32 %f5, %f4; st.global.f32 [%rd3], %f5; ret;", "8 [3 4 5]"},
		{"9: c=f(a,g(b,i))", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; mul.f32 %f3, %f2, 3; add.f32 %f4, %f1, %f3; st.global.f32 [%rd3], %f4; ret;", "9 [3 4 5 6 7]"},
		{"9: in one multiply-add", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f4, %f2, %fs, %f1; st.global.f32 [%rd3], %f4; ret;", "9 [3 4 5 6]"},
		{"2: a product to be added up at the core", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f6, %f1, %f2, %f6; bra E; E: st.global.f32 [%rd3], %f6; ret;", "2 [3 4 5] split"},
		{"2: the third load of a multiply-add stays", "ld.global.f32 %f0, [%rd0]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f6, %f1, %f2, %f0; st.global.f32 [%rd3], %f6; ret;", "2 [4 5 6] split"},
		{"1: a factor that is added, too", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f3, %f1, %f2, %f1; st.global.f32 [%rd3], %f3; ret;", "1 [3 4 5 6]"},
		{"loads of bytes that a compiler widens", "ld.global.u8 %r1, [%rd1]; cvt.u16.u8 %r2, %r1; ld.global.u8 %r3, [%rd2]; cvt.u16.u8 %r4, %r3; setp.ne.s16 %p1, %r2, %r4; selp.u32 %r5, 1, 0, %p1; st.global.u32 [%rd4], %r5; ret;", "5 [3 4 5 6 7]"},
	}
	for _, c := range cases {
		got := describe(t, start+lines(c.body))
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
}

func lines(body string) string {
	return strings.ReplaceAll(strings.ReplaceAll(body, "; ", ";\n"), "E: ", "E:\n")
}

func TestWhatATableOnePatternIsNot(t *testing.T) {
	cases := []struct{ what, body string }{
		{"a loaded register is read twice", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd3], %f3; st.global.f32 [%rd4], %f1; add.f32 %f2, %f1, 1; ret;"},
		{"a loaded register is read in another block", "ld.global.f32 %f1, [%rd1]; mul.f32 %f3, %f1, %fs; st.global.f32 [%rd3], %f3; bra E; E: st.shared.f32 [%rd4], %f1; ret;"},
		{"a loaded register is read in the next iteration", "bra E; E: st.shared.f32 [%rd4], %f1; ld.global.f32 %f1, [%rd1]; mul.f32 %f3, %f1, %fs; st.global.f32 [%rd3], %f3; bra E;"},
		{"an operand that lanes have computed", "ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %r0; st.global.f32 [%rd2], %f2; ret;"},
		{"one load and a result that goes back", "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; rcp.f32 %f3, %f2; st.global.f32 [%rd2], %f3; ret;"},
		{"a load of shared memory", "ld.shared.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; ret;"},
		{"a store to shared memory", "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.shared.f32 [%rd2], %f2; ret;"},
		{"a volatile load", "ld.volatile.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; ret;"},
		{"a guarded load", "@%p1 ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; ret;"},
		{"words of 64 bits", "ld.global.u64 %rd5, [%rd1]; add.u64 %rd6, %rd5, 1; st.global.u64 [%rd2], %rd6; ret;"},
		{"a division", "ld.global.f32 %f1, [%rd1]; div.rn.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; ret;"},
		{"a choice between two loads", "setp.eq.u32 %p1, %r0, 7; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; selp.f32 %f3, %f1, %f2, %p1; st.global.f32 [%rd3], %f3; ret;"},
		{"a sum of two loads and an immediate", "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2]; sad.u32 %r3, %r1, %r2, %rs; st.global.u32 [%rd3], %r3; ret;"},
		{"a loaded address", "ld.global.u32 %r1, [%rd1]; mov.u64 %rd9, %r1; st.global.u32 [%rd9], %rs; ret;"},
		{"the result is stored and read again", "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; rcp.f32 %f3, %f2; st.shared.f32 [%rd2], %f3; ret;"},
		{"an immediate that differs behind a branch", "setp.eq.u32 %p1, %r0, 7; mov.f32 %f9, 1; @%p1 bra E; mov.f32 %f9, 2; E: ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %f9; st.global.f32 [%rd2], %f2; ret;"},
	}
	for _, c := range cases {
		text := start + lines(c.body)
		if c.what == "a volatile load" {
			text = strings.ReplaceAll(text, "ld.volatile.global", "ld.global.volatile")
		}
		if got := describe(t, text); len(got) > 0 {
			t.Errorf("%s: found %v", c.what, got)
		}
	}
}

func TestAnImmediateMayComeFromBehindAUniformBranch(t *testing.T) {
	got := describe(t, start+lines("setp.eq.u32 %p1, %rs, 7; mov.f32 %f9, 1; @%p1 bra E; mov.f32 %f9, 2; E: ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %f9; st.global.f32 [%rd2], %f2; ret;"))
	if diff := cmp.Diff([]string{"7 [7 8 9]"}, got); diff != "" {
		t.Error(diff)
	}
}

// Where lanes part, what is written on either side differs from lane to lane, also where the branch goes straight to where
// they meet again.
func TestAnImmediateMayNotComeFromBehindADivergentBranch(t *testing.T) {
	k := assemble(t, start+lines("setp.eq.u32 %p1, %r0, 7; mov.f32 %f9, 1; @%p1 bra E; mov.f32 %f9, 2; E: ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %f9; st.global.f32 [%rd2], %f2; ret;"))
	for _, meet := range []uint32{trace.NoBlock, uint32(len(k.Blocks) - 1)} {
		k.Blocks[0].PostDominator = meet
		if p := find(t, k); len(p.Chains) > 0 {
			t.Errorf("lanes meet at block %d: chains %+v", int32(meet), p.Chains)
		}
	}
}

func TestAddressCalculationIsHoistedAheadOfItsChain(t *testing.T) {
	k := assemble(t, start+`ld.global.f32 %f1, [%rd1];
		add.u64 %rd2, %rd1, 64;
		ld.global.f32 %f2, [%rd2];
		add.u64 %rd3, %rd1, 128;
		add.f32 %f3, %f1, %f2;
		add.u64 %rd4, %rd1, 192;
		st.global.f32 [%rd3], %f3;
		ret;`)
	p := find(t, k)
	want := []uint32{0, 1, 2, 4, 6, 3, 5, 7, 9, 8, 10}
	if diff := cmp.Diff(want, p.Order); diff != "" {
		t.Error(diff)
	}
}

func TestChainsOfAnUnrolledLoopAreContiguousOneByOne(t *testing.T) {
	got := describe(t, start+lines("ld.global.nc.f32 %f1, [%rd1]; ld.global.nc.f32 %f2, [%rd1+4]; ld.global.nc.f32 %f3, [%rd2]; ld.global.nc.f32 %f4, [%rd2+4]; add.f32 %f5, %f1, %f3; st.global.f32 [%rd3], %f5; add.f32 %f6, %f2, %f4; st.global.f32 [%rd3+4], %f6; ret;"))
	if diff := cmp.Diff([]string{"1 [3 5 7 8]", "1 [4 6 9 10]"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAChainAcrossAStoreIsLeftAlone(t *testing.T) {
	// The second load may read what the store between wrote, which in turn reads
	// what is loaded first.
	got := describe(t, start+lines("ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd5], %r0; ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd3], %f3; ret;"))
	if len(got) > 0 {
		t.Errorf("found %v", got)
	}
}

// The same at the kernel's first instruction, whose index is 0.
func TestAChainFromTheFirstInstructionIsLeftAloneAcrossAStore(t *testing.T) {
	for between, want := range map[string][]string{
		"":                             {"1 [0 1 2 3]"},
		"st.global.f32 [%rd5], %r0;\n": nil,
	} {
		got := describe(t, "ld.global.f32 %f1, [%rd1];\n"+between+lines("ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd3], %f3; ret;"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with %q between: %s", between, diff)
		}
	}
}

func TestABlockBeyondTheInstructionsIsRefused(t *testing.T) {
	k := &trace.Kernel{Name: "short", Blocks: []trace.BasicBlock{{First: 1, Count: 1}}, Instructions: make([]trace.Instruction, 1)}
	if _, err := Find(k); err == nil || err.Error() != "kernel short: basic block 0 does not lie within the 1 instructions; the trace is damaged" {
		t.Errorf("got %v", err)
	}
	k = &trace.Kernel{Name: "lost", Blocks: []trace.BasicBlock{{Count: 1, Successors: []uint32{4}}}, Instructions: make([]trace.Instruction, 1)}
	if _, err := Find(k); err == nil || err.Error() != "kernel lost: basic block 0 is followed by 4 of 1; the trace is damaged" {
		t.Errorf("got %v", err)
	}
}

func TestRoomForTheOperandsOfAServiceQueue(t *testing.T) {
	// 96 entries of two lines are 24 KiB of 48 KiB.
	if !Room(48<<10, 24<<10, 96) || Room(48<<10, 24<<10+1, 96) {
		t.Error("half of 48 KiB must be the most that thread blocks may use")
	}
}

// A guarded write leaves what was there in other lanes: it is read behind.
func TestAGuardedWriteKeepsWhatWasThere(t *testing.T) {
	const body = "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %fs; st.global.f32 [%rd2], %f2; bra E; E: WRITE mov.f32 %f1, 1; st.shared.f32 [%rd3], %f1; ret;"
	for write, want := range map[string]int{"": 1, "@%p1": 0} {
		if got := describe(t, start+lines(strings.Replace(body, "WRITE", write, 1))); len(got) != want {
			t.Errorf("with %q before the write the chains are %v, want %d", write, got, want)
		}
	}
}
