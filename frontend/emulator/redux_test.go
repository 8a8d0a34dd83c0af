// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/warptape/warptape/trace"
)

// Each operation of redux.sync (PTX ISA 9.7.13.15), over all lanes and over some, which are those that execute it.
func TestReduxDoesEachOperation(t *testing.T) {
	value := func(lane int) uint32 { return uint32(lane)*2654435761 + 12345 }
	for op, fold := range map[string]func(a, b uint32) uint32{
		"add.u32": func(a, b uint32) uint32 { return a + b }, "add.s32": func(a, b uint32) uint32 { return a + b },
		"min.u32": func(a, b uint32) uint32 { return min(a, b) }, "max.u32": func(a, b uint32) uint32 { return max(a, b) },
		"min.s32": func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }, "max.s32": func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) },
		"and.b32": func(a, b uint32) uint32 { return a & b }, "or.b32": func(a, b uint32) uint32 { return a | b }, "xor.b32": func(a, b uint32) uint32 { return a ^ b },
	} {
		for _, members := range []uint32{^uint32(0), 0x80000001, 0x0f0f0f30, 4} {
			got, err := launchText(t, Options{}, fmt.Sprintf(`.entry k(.param .u64 out) {
	.reg .b32 %%r<6>; .reg .b64 %%a<3>; .reg .pred %%p;
	ld.param.u64 %%a1, [out]; mov.u32 %%r1, %%tid.x; mad.wide.u32 %%a2, %%r1, 4, %%a1;
	mad.lo.u32 %%r2, %%r1, 2654435761, 12345;
	shl.b32 %%r3, 1, %%r1; and.b32 %%r3, %%r3, %#[1]x; setp.eq.u32 %%p, %%r3, 0;
	@%%p ret;
	redux.sync.%[2]s %%r4, %%r2, %#[1]x;
	st.global.b32 [%%a2], %%r4;
	ret;
}`, members, op), 32)
			if err != nil {
				t.Fatal(err)
			}
			want := value(bits.TrailingZeros32(members))
			for m := members & (members - 1); m != 0; m &= m - 1 {
				want = fold(want, value(bits.TrailingZeros32(m)))
			}
			for lane := range 32 {
				if w := want * (members >> lane & 1); got[lane] != w {
					t.Errorf("%s of lanes %08x: lane %d has %#x, want %#x", op, members, lane, got[lane], w)
				}
			}
		}
	}
}

// Registers and predicates that nothing has written are zero in each warp, whatever those before it have left.
func TestNoWarpInheritsRegisters(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", ptxHeader+`.entry k(.param .u64 out) {
	.reg .b32 %r<6>; .reg .b64 %a<3>; .reg .pred %p, %q;
	ld.param.u64 %a1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1; mad.wide.u32 %a2, %r1, 4, %a1;
	@%p add.u32 %r3, %r3, 100;
	@!%q add.u32 %r3, %r3, 1;
	st.global.b32 [%a2], %r3;
	setp.eq.u32 %p, %r1, %r1; setp.eq.u32 %q, %r1, %r1; mov.u32 %r3, 77;
	@%p add.u32 %r3, %r3, 1;
	@%q st.global.b32 [%a2+1024], %r3;
	ret;
}`, "k")
	out := upload(t, d, "out", make([]uint32, 512))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(4, 1), Block: trace.Dim3{X: 64, Y: 1, Z: 1}, Arguments: pack(out)}); err != nil {
		t.Fatal(err)
	}
	for i, v := range download(t, d, out, 512) {
		if want := []uint32{1, 78}[i/256]; v != want {
			t.Fatalf("thread %d has %d, want %d", i%256, v, want)
		}
	}
}
