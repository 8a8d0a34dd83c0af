// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// By segments, dynamic shared memory lives between segments, too, where the kernel names none
// and reaches it by addresses behind its own variables.
func TestDynamicSharedMemoryWithoutANameIsKept(t *testing.T) {
	m, err := ptx.Parse("unnamed.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry unnamed(.param .u64 out)
{
	.shared .align 4 .b8 tile[20]; .reg .b32 %r<8>; .reg .b64 %d<3>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2+20], %r1;
	bar.sync 0;
	ld.shared.u32 %r3, [tile+28]; ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 4, %d1; st.global.u32 [%d1], %r3;
	mov.u32 %r4, %total_smem_size; st.global.u32 [%d1+64], %r4;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := run{module: m, kernel: "unnamed", grid: trace.Dim3{X: 2, Y: 1, Z: 1}, block: trace.Dim3{X: 16, Y: 1, Z: 1}, shared: 64, buffers: [][]byte{make([]byte, 128)}}
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}
