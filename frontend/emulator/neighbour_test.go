// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"
	"testing"
)

// A conversion writes its own register and no other. Three conversions write neighbouring
// registers again and again, in several orders, of integers of every width; all results are
// there afterwards.
func TestConversionsLeaveTheirNeighboursAlone(t *testing.T) {
	narrow := map[string]func(x uint64) uint32{ // as cvt.u32 widens them again
		"u8": func(x uint64) uint32 { return uint32(uint8(x)) }, "s8": func(x uint64) uint32 { return uint32(int8(x)) },
		"u16": func(x uint64) uint32 { return uint32(uint16(x)) }, "s16": func(x uint64) uint32 { return uint32(int16(x)) },
		"u32": func(x uint64) uint32 { return uint32(x) }, "s32": func(x uint64) uint32 { return uint32(x) },
		"u64": func(x uint64) uint32 { return uint32(x) }, "s64": func(x uint64) uint32 { return uint32(x) },
	}
	source := map[string]func(x uint32) uint64{
		"u32": func(x uint32) uint64 { return uint64(x) }, "s32": func(x uint32) uint64 { return uint64(int32(x)) },
		"u64": func(x uint32) uint64 { return uint64(x) * 0x10003 }, "s64": func(x uint32) uint64 { return uint64(x) * 0x10003 },
		"u16": func(x uint32) uint64 { return uint64(uint16(x)) }, "s16": func(x uint32) uint64 { return uint64(int16(x)) },
	}
	// The narrowest register of a type.
	bits := func(typ string) string {
		if typ[1:] == "8" {
			return "16"
		}
		return typ[1:]
	}
	for to, back := range narrow {
		for from, value := range source {
			var b strings.Builder
			fmt.Fprintf(&b, "{ .reg .b%s %%q<3>; .reg .b%s %%s<3>; .reg .b32 %%t<4>; .reg .b64 %%w;\n", bits(to), bits(from))
			for k, factor := range []uint32{0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D} {
				fmt.Fprintf(&b, "mad.lo.u32 %%t0, %%r0, %#x, %#x;\n", factor, factor)
				switch from[1:] {
				case "64":
					fmt.Fprintf(&b, "mul.wide.u32 %%s%d, %%t0, 0x10003;\n", k)
				case "32":
					fmt.Fprintf(&b, "mov.b32 %%s%d, %%t0;\n", k)
				default:
					fmt.Fprintf(&b, "cvt.u16.u32 %%s%d, %%t0;\n", k)
				}
			}
			for _, k := range []int{2, 1, 0, 1, 2, 0, 2, 1} {
				fmt.Fprintf(&b, "cvt.%s.%s %%q%d, %%s%d;\n", to, from, k, k)
			}
			for k := range 3 {
				fmt.Fprintf(&b, "cvt.u32.%s %%t%d, %%q%d;\n", to, k, k)
			}
			b.WriteString("mad.lo.u32 %t1, %t1, 3, %t0; mad.lo.u32 %t1, %t2, 5, %t1; st.global.u32 [%d0], %t1; } ret;")
			s := script{body: b.String()}
			expect(t, s.run(t), func(i int) uint32 {
				x := func(factor uint32) uint32 { return back(value((uint32(i) + 1) * factor)) }
				return x(0x9E3779B1) + 3*x(0x85EBCA77) + 5*x(0xC2B2AE3D)
			})
			if t.Failed() {
				t.Fatalf("cvt.%s.%s", to, from)
			}
		}
	}
}
