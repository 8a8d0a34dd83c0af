// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

func TestAssemblyFollowsPatternsAsGoDoes(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range 10 * vectorRounds {
			var wide, offsets [trace.WarpSize]uint64
			var narrow [trace.WarpSize]uint32
			base := r.Uint64() >> 32
			for i := range wide {
				offsets[i] = uint64(r.Int64N(1<<20)) - 1<<19
				wide[i] = base + offsets[i]
				narrow[i] = uint32(wide[i])
			}
			mask := r.Uint32()
			if lane := r.IntN(2 * trace.WarpSize); lane < trace.WarpSize {
				offsets[lane] ^= 1 << r.IntN(64)
			}
			o := unsafe.Pointer(&offsets)
			if got, want := v.moved64(unsafe.Pointer(&wide), o, base, mask), movedInGo[uint64](unsafe.Pointer(&wide), o, base, mask); got != want {
				t.Fatalf("64-bit lanes %x from %x, mask %08x: got %t, want %t", wide, base, mask, got, want)
			}
			if got, want := v.moved32(unsafe.Pointer(&narrow), o, base, mask), movedInGo[uint32](unsafe.Pointer(&narrow), o, base, mask); got != want {
				t.Fatalf("32-bit lanes %x from %x, mask %08x: got %t, want %t", narrow, base, mask, got, want)
			}
		}
	})
}

func TestAssemblyGathersTheLanesOfTheMask(t *testing.T) {
	memory := make([]byte, 4096)
	for i := range memory {
		memory[i] = byte(i*i>>3 + i)
	}
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range 10 * vectorRounds {
			from := memory[r.IntN(2048):]
			mask, places := r.Uint32(), [trace.WarpSize]uint32{}
			if r.IntN(3) == 0 {
				mask = FullMask
			}
			near := r.IntN(2) == 0
			for i := range places {
				if places[i] = uint32(r.IntN(2040)); near {
					places[i] = 4 * uint32(r.IntN(NearBytes/4))
				}
			}
			offsets := unsafe.Pointer(&places)
			var old [trace.WarpSize]uint64
			fillSlot(r, &old)
			compare := func(what string, f func(d, memory, offsets unsafe.Pointer, mask uint32), twin func(d unsafe.Pointer)) {
				if f == nil {
					return
				}
				got, want := old, old
				f(unsafe.Pointer(&got), unsafe.Pointer(&from[0]), offsets, mask)
				twin(unsafe.Pointer(&want))
				if got != want {
					t.Fatalf("%s, mask %08x, offsets %d: got %x, want %x", what, mask, places, got, want)
				}
			}
			compare("gather32", v.gather32, func(d unsafe.Pointer) { gather32InGo(d, from, &places, mask) })
			compare("gather64", v.gather64, func(d unsafe.Pointer) { gather64InGo(d, from, &places, mask) })
			if near {
				compare("near32", v.near32, func(d unsafe.Pointer) { gather32InGo(d, from, &places, mask) })
			}
		}
	})
}
