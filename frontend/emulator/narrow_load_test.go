// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"testing"
)

// TestNarrowLoadsOfLanesThatLieAnyhowExtendByTheirType: PTX's rule (9.4.1) for each type,
// register and mask.
func TestNarrowLoadsOfLanesThatLieAnyhowExtendByTheirType(t *testing.T) {
	const words = 64
	input := make([]uint32, words)
	for i := range input {
		input[i] = uint32(i+1) * 0x9e3779b1
	}
	at := func(byteAddress, width int) (v uint32) {
		for i := range width {
			b := byteAddress + i
			v |= input[b/4] >> (8 * (b % 4)) & 0xff << (8 * i)
		}
		return v
	}
	for _, typ := range []struct {
		name   string
		width  int
		signed bool
	}{{"u8", 1, false}, {"s8", 1, true}, {"b8", 1, false}, {"u16", 2, false}, {"s16", 2, true}, {"b16", 2, false}} {
		for _, register := range []string{"%r1", "%h1"} {
			for _, lanes := range []uint32{32, 29} {
				widen := "cvt.u32.u16 %r2, %h1;"
				if register == "%r1" {
					widen = "mov.u32 %r2, %r1;"
				}
				s := script{block: dims(lanes, 1), input: input, words: int(lanes), body: fmt.Sprintf(`
					mul.lo.u32 %%r3, %%r0, %%r0; and.b32 %%r3, %%r3, 127; shl.b32 %%r3, %%r3, 1;
					cvt.u64.u32 %%d3, %%r3; add.u64 %%d3, %%d2, %%d3;
					ld.global.%s %s, [%%d3]; %s
					mad.wide.u32 %%d4, %%r0, 4, %%d1; st.global.u32 [%%d4], %%r2; ret;`, typ.name, register, widen)}
				t.Run(fmt.Sprintf("%s into %s by %d", typ.name, register, lanes), func(t *testing.T) {
					expect(t, s.run(t), func(i int) uint32 {
						v := at(i*i&127*2, typ.width)
						if typ.signed {
							above := 32 - 8*typ.width
							v = uint32(int32(v<<above) >> above)
						}
						if register == "%h1" {
							v &= 0xffff
						}
						return v
					})
				})
			}
		}
	}
}
