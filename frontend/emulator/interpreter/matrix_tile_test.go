// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// TestTilesAreTheirMap moves accumulators that lie in tiles both ways, by their tiles and by their
// maps, and wants equal bits.
func TestTilesAreTheirMap(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	for _, columns := range []int{8, 24, 128, 256} {
		slots := make([]uint32, columns/2)
		for i := range slots {
			slots[i] = uint32(128 * i)
		}
		r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
		tiled := warpgroupSums(slots, columns, ptx.F32)
		if columns == 8 {
			tiled = accumulatorMap(slots, columns, ptx.F32)
		}
		if !tiled.tiled {
			t.Fatalf("%d columns do not lie in tiles", columns)
		}
		mapped := tiled
		mapped.tiled = false

		file := make([]uint64, 16*len(slots))
		c := &warpContext{file: file, base: unsafe.Pointer(&file[0])}
		for i := range file {
			file[i] = r.Uint64()
		}
		var unpacked [2][]float32
		for i, f := range []*fragmentMap{&tiled, &mapped} {
			unpacked[i] = make([]float32, 16*columns)
			c.unpackSums(f, unpacked[i])
		}
		same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
		if !slices.EqualFunc(unpacked[0], unpacked[1], same) {
			t.Errorf("%d columns: tiles give %v, the map %v", columns, unpacked[0], unpacked[1])
		}

		for i := range unpacked[0] {
			if unpacked[0][i] = float32(r.NormFloat64()); r.IntN(5) == 0 {
				unpacked[0][i] = math.Float32frombits(0xff80_0000 | r.Uint32()&0xff) // minus infinity, or a NaN
			}
		}
		var packed [2][]uint64
		for i, f := range []*fragmentMap{&tiled, &mapped} {
			clear(file)
			c.packSums(f, unpacked[0])
			packed[i] = slices.Clone(file)
		}
		if !slices.Equal(packed[0], packed[1]) {
			t.Errorf("%d columns: tiles pack %x, the map %x", columns, packed[0], packed[1])
		}
		if at := slices.IndexFunc(unpacked[0], func(v float32) bool { return v != v }); at < 0 || !slices.Contains(lanesOf(file), math.Float32bits(lanes.Canonical32)) {
			t.Errorf("%d columns: no canonical NaN", columns)
		}
	}
}

// lanesOf is a register file in words.
func lanesOf(file []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&file[0])), 2*len(file))
}

// Maps of other matrices do not lie in tiles: halves, those of eight rows, and factors.
func TestOtherMapsDoNotLieInTiles(t *testing.T) {
	four := []uint32{0, 128, 256, 384}
	for name, f := range map[string]fragmentMap{
		"halves":     accumulatorMap(four, 8, ptx.F16),
		"eight rows": accumulatorMap(four[:2], 8, ptx.F32),
		"a factor":   mmaMap(four, 8, ptx.TF32, false),
		"lines":      wmmaMap(append(four, 512, 640, 768, 896), 16, 16, ptx.F32, false),
	} {
		if f.tiles() {
			t.Errorf("%s lie in tiles", name)
		}
	}
}
