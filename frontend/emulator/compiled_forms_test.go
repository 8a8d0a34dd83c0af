// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Compilers put braces around the one value of a scalar access; on the file that
// they wrote, they are not there.
func TestOneBracedRegisterIsTheRegister(t *testing.T) {
	s := script{input: count(32), body: `setp.lt.u32 %p1, %r0, 20; mad.wide.u32 %d3, %r0, 4, %d2; mov.u32 %r1, 7;
		@%p1 ld.global.b32 { %r1 }, [ %d3 + 0 ]; ld.global.L1::evict_last.b32 {%r2}, [%d3]; add.u32 %r1, %r1, %r2;
		@%p1 atom.global.gpu.acq_rel.add.u32 {%r3}, [ %d0 + 0 ], {%r1}; @!%p1 st.global.b32 [ %d0 + 0 ], { %r1 }; ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 20 {
			return 2 * uint32(i) * 0x01010101
		}
		return 7 + uint32(i)*0x01010101
	})
	surface := surfaceScript{code: `suld.b.1d.b32.trap {%r2}, [%s, {%x}]; add.u32 %r1, %r2, 1; sust.b.1d.b32.trap [%s, {%x}], {%r1};`,
		texture: memory.Texture{Width: 32, Channels: 1, Element: ptx.U32}, data: count(32), place: func(lane int) [3]int { return [3]int{4 * lane} }}
	results, memory, err := surface.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, results, func(i int) uint32 { return uint32(i)*0x01010101 + 1 })
	expect(t, memory, func(i int) uint32 { return uint32(i)*0x01010101 + 1 })
}

func TestGridNumberIsWide(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "grid.ptx", ptxHeader+`.entry k(.param .u64 out) { .reg .b64 %d<5>; .reg .b32 %r<3>; .reg .b16 %h;
		ld.param.u64 %d1, [out]; mov.u64 %d2, %gridid; mov.u32 %r1, %gridid; cvt.u64.u64 %d3, %gridid; mov.u16 %h, %gridid; cvt.u32.u16 %r2, %h;
		st.global.u64 [%d1], %d2; st.global.u32 [%d1+8], %r1; st.global.u64 [%d1+16], %d3; st.global.u32 [%d1+12], %r2; ret; }`, "k")
	out := upload(t, d, "out", []uint32{9, 9, 9, 9, 9, 9})
	for launch := uint32(1); launch <= 3; launch++ {
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(out)}); err != nil {
			t.Fatal(err)
		}
		want := []uint32{launch, 0, launch, launch, launch, 0}
		expect(t, download(t, d, out, 6), func(i int) uint32 { return want[i] })
	}
}

// scalarVectorAdd is what lanes in ascending order leave of floats in memory.
func TestVectorReductionsAreElementwise(t *testing.T) {
	s := script{words: 40, body: `.reg .f32 %f<12>; cvt.rn.f32.u32 %f1, %r0; add.f32 %f2, %f1, 0f3F800000; mov.f32 %f3, 0f40000000; mul.f32 %f4, %f1, %f1;
		red.global.add.v4.f32 [%d1], {%f1, %f2, %f3, %f4}; and.b32 %r1, %r0, 1; mad.wide.u32 %d3, %r1, 8, %d1; red.relaxed.gpu.global.v2.f32.add [%d3+16], {%f1, %f2};
		cvta.global.u64 %d4, %d1; setp.eq.u32 %p1, %r0, 0; @%p1 atom.add.v2.f32 {%f5, _}, [%d4], {%f3, %f3}; @%p1 st.global.f32 [%d1+32], %f5; ret;`}
	got := s.run(t)
	want := [9]float32{496 + 2, 496 + 32 + 2, 64, 10416, 240, 240 + 16, 256, 256 + 16, 496}
	for i, w := range want {
		if v := math.Float32frombits(got[i]); v != w {
			t.Errorf("word %d is %v, want %v", i, v, w)
		}
	}
}

// Halves in memory take the smaller and larger numbers, NaN nowhere, and -0 below 0.
func TestVectorReductionsOfHalves(t *testing.T) {
	const one, two, minus, nan, zero, negative, infinite = 0x3C00, 0x4000, 0xBC00, 0x7E00, 0x0000, 0x8000, 0x7C00
	memory := []uint32{one, nan, zero, negative, two, minus, infinite, nan}
	operand := []uint32{two, one, negative, zero, nan, two, one, nan}
	expected := map[string][]uint32{
		"min": {one, one, negative, negative, two, minus, one, 0x7fff},
		"max": {two, one, zero, zero, two, two, infinite, 0x7fff},
		"add": {0x4200, 0x7fff, zero, zero, 0x7fff, one, infinite, 0x7fff},
	}
	list := func(v []uint32) []uint32 { // packed in words
		var words []uint32
		for i := 0; i < len(v); i += 2 {
			words = append(words, v[i]|v[i+1]<<16)
		}
		return words
	}
	for operation, want := range expected {
		for _, form := range []string{"v8.f16", "v4.f16x2"} {
			var registers []string
			load := "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d2]; ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d2+16]; st.global.v4.b32 [%d1], {%r1, %r2, %r3, %r4}; "
			for i := range 4 {
				registers = append(registers, fmt.Sprintf("%%r%d", 5+i))
				load += fmt.Sprintf("mov.b32 {%%h%d, %%h%d}, %%r%d; ", 2*i, 2*i+1, 5+i)
			}
			if form == "v8.f16" {
				registers = nil
				for i := range 8 {
					registers = append(registers, fmt.Sprintf("%%h%d", i))
				}
			}
			s := script{words: 8, block: dims(1, 1), input: append(list(memory), list(operand)...),
				body: load + "red.global." + operation + ".noftz." + form + " [%d1], {" + strings.Join(registers, ", ") + "}; ret;"}
			got := s.run(t)
			for i, w := range list(want) {
				if got[i] != w {
					t.Errorf("%s of %s: word %d is %#x, want %#x", operation, form, i, got[i], w)
				}
			}
		}
	}
}

func TestVectorReductionsFaultWhereScalarsDo(t *testing.T) {
	for _, c := range []struct {
		body, detail string
		kind         coexecution.FaultKind
	}{
		{"red.global.add.v4.f32 [%d1+4], {%f1, %f1, %f1, %f1}; ret;", "multiple of 16", coexecution.FaultMisaligned},
		{"red.global.add.v2.f32 [%d1+4096], {%f1, %f1}; ret;", "past the end", coexecution.FaultOutOfBounds},
		{"mov.u64 %d3, tile; cvta.shared.u64 %d3, %d3; red.add.v2.f32 [%d3], {%f1, %f1}; ret;", "shared memory", coexecution.FaultOutOfBounds},
	} {
		s := script{declarations: ".shared .align 16 .b8 tile[64]; ", body: ".reg .f32 %f1; mov.f32 %f1, 0f3F800000; " + c.body}
		wantFault(t, s.fault(t), c.kind, c.detail)
	}
}

// A cluster has one thread block: its rank, its barrier and its shared memory are
// those of the block.
func TestClustersOfOne(t *testing.T) {
	s := script{declarations: ".shared .align 4 .b32 tile[64]; ", block: dims(64, 1), grid: dims(2, 1), words: 128, body: `mov.u32 %r9, %ctaid.x; mad.lo.u32 %r8, %r9, 64, %r0; mad.wide.u32 %d0, %r8, 4, %d1;
		mov.u32 %r3, %cluster_ctarank; mapa.shared::cluster.u32 %r4, tile, %r3; mapa.shared::cluster.u32 %r11, tile+4, 0; sub.u32 %r11, %r11, %r4;
		mad.lo.u32 %r5, %r0, 4, %r4; st.shared::cluster.u32 [%r5], %r0;
		barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; griddepcontrol.wait;
		xor.b32 %r6, %r0, 63; mad.lo.u32 %r6, %r6, 4, %r4; ld.shared.u32 %r1, [%r6];
		mov.u64 %d3, tile; cvta.shared.u64 %d3, %d3; mapa.u64 %d4, %d3, %r3; sub.u64 %d4, %d4, %d3; cvt.u32.u64 %r7, %d4;
		getctarank.u64 %r10, %d3; add.u32 %r7, %r7, %r10; getctarank.shared::cluster.u32 %r10, %r4; add.u32 %r7, %r7, %r10; getctarank.shared::cluster.u32 %r10, tile; add.u32 %r7, %r7, %r10;
		mov.u32 %r10, %cluster_nctarank; add.u32 %r7, %r7, %r10; mov.u32 %r10, %clusterid.x; sub.u32 %r10, %r10, %r9; add.u32 %r7, %r7, %r10; add.u32 %r7, %r7, %r11;
		mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r7, %r7, 100; mad.lo.u32 %r1, %r7, 1000, %r1;
		barrier.cluster.arrive.relaxed; barrier.cluster.wait; griddepcontrol.launch_dependents; st.global.u32 [%d0], %r1; ret;`}
	expect(t, s.run(t), func(i int) uint32 { return 5*1000 + 63 - uint32(i%64) }) // 5: one block a cluster, four bytes on

	text := ptxHeader + `.entry k(.param .u64 out) %s { .reg .pred %%p; .reg .b64 %%d; .reg .b32 %%r; ld.param.u64 %%d, [out]; mov.pred %%p, %%is_explicit_cluster; selp.u32 %%r, 1, 0, %%p; st.global.u32 [%%d], %%r; ret; }`
	for directives, want := range map[string]uint32{"": 0, ".maxclusterrank 8": 0, ".explicitcluster": 1, ".reqnctapercluster 1, 1, 1": 1, ".explicitcluster .reqnctapercluster 1": 1} {
		d := NewDevice(Options{})
		out := upload(t, d, "out", []uint32{7})
		if _, err := d.Launch(LaunchRequest{Kernel: kernelOf(t, d, "c.ptx", fmt.Sprintf(text, directives), "k"), Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(out)}); err != nil {
			t.Fatal(err)
		}
		if got := download(t, d, out, 1)[0]; got != want {
			t.Errorf("%q: %%is_explicit_cluster is %d, want %d", directives, got, want)
		}
	}
}

func TestClusterAddressesOfOthersAreFaults(t *testing.T) {
	s := script{declarations: ".shared .align 4 .b32 tile[64]; ", body: "mapa.shared::cluster.u32 %r1, tile, %r0; st.global.u32 [%d0], %r1; ret;"}
	f := s.fault(t)
	wantFault(t, f, coexecution.FaultOutOfBounds, "thread block 1 of a cluster of 1")
	if f.Thread != (trace.Dim3{X: 1}) {
		t.Errorf("the fault is of thread %v, want the second", f.Thread)
	}
	s = script{body: "getctarank.u64 %r1, %d1; st.global.u32 [%d0], %r1; ret;"}
	wantFault(t, s.fault(t), coexecution.FaultOutOfBounds, "no address in shared memory")
}

// Barriers that bar names stay 0 to 15, also where a register names them.
func TestTheClusterBarrierHasNoNumber(t *testing.T) {
	s := script{body: "add.u32 %r1, %r0, 16; sub.u32 %r1, %r1, %r0; bar.sync %r1; ret;"}
	wantFault(t, s.fault(t), coexecution.FaultBarrierDivergence, "barrier 16; a thread block has barriers 0 to 15")
	if coexecution.ClusterBarrierID < coexecution.NamedBarriers || coexecution.ClusterBarrierID >= coexecution.BarrierCount {
		t.Error("the cluster's barrier is among those with a number")
	}
}
