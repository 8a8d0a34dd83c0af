// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// What a replay needs of matrix and texture instructions: class, space, bytes
// a lane, and every register of their vectors.
func TestMatrixAndTextureInstructionsAreInTheTable(t *testing.T) {
	k := fromText(t, `.reg .b32 %x<9>; .reg .f32 %y<9>;
	ld.param.u64 %rd1, [out];
	wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8}, [%rd1], 16;
	wmma.load.b.sync.aligned.row.m32n8k16.f16 {%x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8}, [%rd1];
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%y1, %y2, %y3, %y4}, {%x1, %x2, %x3, %x4}, {%x5, %x6}, {%y5, %y6, %y7, %y8};
	wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd1], {%y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8};
	tex.2d.v4.f32.f32 {%y1, %y2, %y3, %y4}, [%rd1, {%y5, %y6}];
	ret;`)
	for i, want := range []struct {
		class         trace.OpClass
		space         trace.Space
		bytes         uint8
		reads, writes int
	}{
		1: {trace.ClassLoad, trace.SpaceShared, 32, 1, 8},
		2: {trace.ClassLoad, trace.SpaceGeneric, 16, 1, 8},
		3: {trace.ClassTensor, trace.SpaceNone, 0, 10, 4},
		4: {trace.ClassStore, trace.SpaceGlobal, 32, 9, 0},
		5: {trace.ClassTexture, trace.SpaceTexture, 4, 3, 4},
	} {
		if i == 0 {
			continue // ld.param
		}
		in := &k.Static.Instructions[i]
		if in.Class != want.class || in.Space != want.space || in.LaneBytes != want.bytes || len(in.Reads(nil)) != want.reads || len(in.Writes(nil)) != want.writes {
			t.Errorf("row %d (%s): class %v, space %v, %d bytes, reads %d, writes %d registers; want %+v",
				i, in.Opcode, in.Class, in.Space, in.LaneBytes, len(in.Reads(nil)), len(in.Writes(nil)), want)
		}
	}
	if err := k.Static.Validate(); err != nil {
		t.Error(err)
	}
}
