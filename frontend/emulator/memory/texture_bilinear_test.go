// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// drawTexels makes a buffer of .f32 numbers, infinities, NaNs, zeros and numbers at both ends among them.
func drawTexels(t *testing.T, d *Memory, r *rand.Rand, bytes int) (address uint64) {
	t.Helper()
	data := make([]byte, 0, bytes)
	for range bytes / 4 {
		v := float32(r.NormFloat64())
		switch r.IntN(20) {
		case 0:
			v = float32(math.Inf(1 - 2*r.IntN(2)))
		case 1:
			v = float32(math.NaN())
		case 2, 3, 4:
			v = float32(math.Copysign(0, float64(v)))
		case 5:
			v *= 1e-42
		case 6:
			v *= 1e38
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	address, err := d.Allocate("texels", uint64(bytes))
	if err == nil {
		err = d.Write(address, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestBilinearGivesWhatTheSumOverCornersGives draws textures, address modes and places, and
// texels that are infinite or NaNs.
func TestBilinearGivesWhatTheSumOverCornersGives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	applied := 0
	for range 300 {
		width, height, channels := 1+r.IntN(9), 1+r.IntN(9), 1<<r.IntN(3)
		d := New(1 << 20)
		pitch := 4 * (width*channels + r.IntN(5))
		address := drawTexels(t, d, r, pitch*height)
		handle, err := d.CreateTexture(Texture{
			Name: "t", Address: address, Width: width, Height: height, Channels: channels, Element: ptx.F32, Pitch: pitch,
			Modes: AddressModes{AddressMode(r.IntN(4)), AddressMode(r.IntN(4))}, Linear: true, Normalized: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		b := d.Texture(handle)
		for range 50 {
			c := [3]Coordinate{b.Locate(float32(4*r.Float64()-2), width), b.Locate(float32(4*r.Float64()-2), height)}
			want, wantAt := b.interpolate(c)
			got, at, ok := b.bilinear(&c)
			if !ok {
				if b.Modes[0] != AddressBorder && b.Modes[1] != AddressBorder {
					t.Fatalf("modes %d: bilinear does not apply", b.Modes)
				}
				continue
			}
			applied++
			for n := range got {
				g, w := math.Float32frombits(got[n]), math.Float32frombits(want[n])
				if got[n] != want[n] && !(g != g && w != w) {
					t.Fatalf("modes %d at %v: channel %d is %v, want %v", b.Modes, c, n, g, w)
				}
			}
			if at != wantAt {
				t.Fatalf("modes %d at %v: address 0x%x, want 0x%x", b.Modes, c, at, wantAt)
			}
		}
	}
	if applied < 5000 {
		t.Errorf("bilinear applied %d times", applied)
	}
}
