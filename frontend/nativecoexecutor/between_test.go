// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
)

// Between segments the host takes the device's heap. A piece that no thread has freed lives on,
// and one that a thread has freed is gone.
func TestAPieceOfTheHeapLivesUntilItIsFreed(t *testing.T) {
	piece := "mov.u64 %d2, 16; setp.ne.u32 %p1, %r1, 77;\nMALLOC %d3, %d2\n@%p1 bra ONE;\nONE: st.global.u32 [%d3], %r1; @%p1 bra TWO;\nTWO: ld.global.u32 %r4, [%d3]; st.global.u32 [%d1], %r4;\n"
	segments := open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	alive := heap(t, "", piece+"FREE %d3\nret;")
	alive.grid.X, alive.block.X = 2, 3
	alive.compare(t, segments)

	freed := heap(t, "", piece+"FREE %d3\n@%p1 bra BEHIND;\nBEHIND: ld.global.u32 %r4, [%d3]; ret;")
	freed.grid.X, freed.block.X = 1, 1
	if _, _, err := freed.record(t, emulator.Options{Coexecutor: segments.Coexecutor}); !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), "freed") {
		t.Errorf("on the device: %v", err)
	}
	if _, _, err := freed.record(t, emulator.Options{}); err == nil || !strings.Contains(err.Error(), "freed") {
		t.Errorf("in the interpreter: %v", err)
	}
}

// A function's variable in shared memory is one for the thread block, at an address that the module
// fixes. Its local variables have a place in each frame.
func TestAFunctionsSharedVariableIsInNoFrame(t *testing.T) {
	r := heap(t, `.func (.param .b32 r) swapped(.param .b32 k)
{
	.local .align 8 .b8 own[24]; .shared .align 4 .b8 tile[256]; .reg .b32 %r<4>; .reg .pred %p<2>;
	ld.param.b32 %r1, [k]; st.local.u32 [own+4], %r1;
	setp.eq.u32 %p1, %r1, 1; @%p1 st.shared.u32 [tile+8], %r1;
	ld.shared.u32 %r2, [tile+8]; ld.local.u32 %r3, [own+4]; add.u32 %r2, %r2, %r3;
	st.param.b32 [r], %r2; ret;
}
`, `{ .param .b32 k; .param .b32 r; st.param.b32 [k], %r1; call (r), swapped, (k); ld.param.b32 %r4, [r]; }
	st.global.u32 [%d1], %r4; ret;`)
	r.grid.X, r.block.X = 2, 5
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// What a kernel stores to two surfaces comes back to the memory of both.
func TestStoresToTwoSurfacesComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	x := memory.Texture{Width: 16, Channels: 1, Element: ptx.U32}
	y := x
	y.Address = 4096 // arrays overlap nowhere
	r := sampled(t, random, "sust.b.1d.b32.clamp [%0, {%r4}], %r7;\nsust.b.1d.b32.clamp [picture, {%r4}], %r0;", func() uint32 { return 4 * uint32(random.IntN(16)) }, x, y)
	r.compare(t, open(t, nativecoexecutor.Options{}))
}
