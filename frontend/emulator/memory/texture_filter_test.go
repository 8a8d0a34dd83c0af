// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// filterCase is a texture, what a warp fetches from it, and which of the registers hold what.
type filterCase struct {
	texture *BoundTexture
	fetch   Fetch
	mask    uint32
	// registers are x, y, and what results[n] names.
	registers [6]words
	results   [4]int
}

// drawFilterCase draws texels that are zeros of both signs, infinities and NaNs among them, and
// coordinates inside, at borders, far away and of no number. Results may share registers.
func drawFilterCase(t *testing.T, r *rand.Rand) *filterCase {
	t.Helper()
	width, height, channels := 1+r.IntN(9), 1+r.IntN(9), 1<<r.IntN(3)
	d := New(1 << 20)
	pitch, first := 4*(width*channels+r.IntN(5)), 16*r.IntN(3)
	texture := Texture{
		Name: "t", Address: drawTexels(t, d, r, first+pitch*height) + uint64(first), Width: width, Height: height, Channels: channels, Element: ptx.F32, Pitch: pitch,
		Linear: r.IntN(8) != 0, Normalized: r.IntN(3) != 0, Floats: r.IntN(4) == 0,
	}
	for i := range texture.Modes {
		texture.Modes[i] = AddressMode(r.IntN(4))
		if !texture.Normalized && (texture.Modes[i] == AddressWrap || texture.Modes[i] == AddressMirror) {
			texture.Modes[i] = AddressClamp
		}
	}
	handle, err := d.CreateTexture(texture)
	if err != nil {
		t.Fatal(err)
	}
	c := &filterCase{texture: d.Texture(handle), mask: r.Uint32() | r.Uint32(), results: [4]int{2, 3, 4, 5}}
	c.fetch = Fetch{Geometry: Geometry{Op: ptx.OpTex, Dimensions: 2}, Float: r.IntN(4) != 0}
	for n := range c.results {
		if r.IntN(4) == 0 {
			c.results[n] = r.IntN(len(c.registers))
		}
	}
	extent := 4.0
	if !texture.Normalized {
		extent = float64(4 * max(width, height))
	}
	for n := range c.registers {
		for i := range c.registers[n] {
			c.registers[n][i] = math.Float32bits(drawCoordinate(r, extent))
		}
	}
	return c
}

func drawCoordinate(r *rand.Rand, extent float64) float32 {
	switch r.IntN(12) {
	case 0:
		return float32(math.NaN())
	case 1:
		return float32(math.Ldexp(r.NormFloat64(), r.IntN(200)-100))
	case 2:
		return float32(r.IntN(3)) * 0.5
	}
	return float32(extent * (r.Float64() - 0.5))
}

// fetchByLane is the twin of a Filter: one fetch after the other.
func (c *filterCase) fetchByLane(mask uint32, registers *[6]words, addresses *[trace.WarpSize]uint64) {
	for i := range trace.WarpSize {
		if mask>>i&1 == 0 {
			continue
		}
		v, at := c.texture.Fetch(&c.fetch, [3]uint32{registers[0][i], registers[1][i]}, [2]uint32{})
		for n, register := range c.results {
			registers[register][i] = v[n]
		}
		addresses[i] = at
	}
}

func (c *filterCase) check(t *testing.T) (filtered int) {
	t.Helper()
	if !c.texture.Filters(&c.fetch) {
		return 0
	}
	want, got := c.registers, c.registers
	var wantAt, gotAt [trace.WarpSize]uint64
	c.fetchByLane(c.mask, &want, &wantAt)
	results := [4]*words{&got[c.results[0]], &got[c.results[1]], &got[c.results[2]], &got[c.results[3]]}
	var f Filter
	left := f.Fetch(c.texture, &got[0], &got[1], c.mask, &results, &gotAt)
	if left&^c.mask != 0 {
		t.Fatalf("lanes 0x%x are left of 0x%x", left, c.mask)
	}
	c.fetchByLane(left, &got, &gotAt)
	for i := range gotAt {
		if c.mask>>i&1 == 0 {
			gotAt[i] = 0 // it means nothing
		}
	}
	if got != want || gotAt != wantAt {
		t.Fatalf("%+v: registers %x at %x, want %x at %x", c.texture.Texture, got, gotAt, want, wantAt)
	}
	for m := c.mask &^ left; m != 0; m &= m - 1 {
		filtered++
	}
	return filtered
}

// TestFiltersGiveWhatFetchesByLaneGive draws textures, coordinates and registers.
func TestFiltersGiveWhatFetchesByLaneGive(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 11))
	filtered := 0
	for range 3000 {
		filtered += drawFilterCase(t, r).check(t)
	}
	if filtered < 10000 {
		t.Errorf("filters gave %d results; most of these should be theirs", filtered)
	}
}

// TestWrappedPlacesRepeatTheTexture compares with the remainder that is never negative.
func TestWrappedPlacesRepeatTheTexture(t *testing.T) {
	b := &BoundTexture{Texture: Texture{Modes: AllModes(AddressWrap)}}
	for n := 1; n < 8; n++ {
		for at := -40; at < 40; at++ {
			want := at
			for want < 0 {
				want += n
			}
			for want >= n {
				want -= n
			}
			if got, ok := b.inside(0, at, n); got != want || !ok {
				t.Errorf("place %d of %d texels is %d, %v; want %d", at, n, got, ok, want)
			}
		}
	}
}

// BenchmarkFilter is a linear fetch of a warp from a rotated place, as texture-rotate's.
func BenchmarkFilter(b *testing.B) {
	d := New(1 << 24)
	address, err := d.Allocate("texels", 4*800*600)
	if err != nil {
		b.Fatal(err)
	}
	handle, err := d.CreateTexture(Texture{
		Name: "t", Address: address, Width: 800, Height: 600, Channels: 1, Element: ptx.F32, Modes: AllModes(AddressWrap), Linear: true, Normalized: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	var x, y words
	var registers [4]words
	var at [trace.WarpSize]uint64
	results := [4]*words{&registers[0], &registers[1], &registers[2], &registers[3]}
	var f Filter
	for n := range b.N {
		for i := range x {
			u, v := float32(n%50*16+i%16)/800-0.5, float32(n/50%300*2+i/16)/600-0.5
			x[i], y[i] = math.Float32bits(0.866*u-0.375*v+0.5), math.Float32bits(0.866*v+0.667*u+0.5)
		}
		f.Fetch(d.Texture(handle), &x, &y, 0xffffffff, &results, &at)
	}
}
