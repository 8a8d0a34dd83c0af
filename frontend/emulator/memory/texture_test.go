// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

func TestImpossibleTexturesAreRefused(t *testing.T) {
	d := New(1 << 20)
	address := upload(t, d, "small", make([]uint32, 4))
	for want, texture := range map[string]Texture{
		"0 x 0 texels":                           {Channels: 1, Element: ptx.F32},
		"3 channels":                             {Width: 1, Channels: 3, Element: ptx.F32},
		"elements of .f64":                       {Width: 1, Channels: 1, Element: ptx.F64},
		"linear filtering needs":                 {Width: 1, Channels: 1, Element: ptx.S32, Linear: true},
		"1 channels of .u8 in the order BGRA":    {Width: 1, Channels: 1, Element: ptx.U8, BGRA: true},
		"4 channels of .u16 in the order BGRA":   {Width: 1, Channels: 4, Element: ptx.U16, BGRA: true},
		"wrapping and mirroring need normalised": {Width: 1, Channels: 1, Element: ptx.F32, Modes: AllModes(AddressWrap)},
		"past the end of buffer small":           {Width: 5, Channels: 1, Element: ptx.F32},
		fmt.Sprintf("%d x 1", 1<<28+1):           {Width: 1<<28 + 1, Height: 1, Channels: 1, Element: ptx.F32},
		"4 bytes past the end of buffer ":        {Width: 1, Height: 5, Channels: 1, Element: ptx.F32},
		"12 bytes past the end of buffer ":       {Width: 1, Height: 3, Channels: 1, Element: ptx.F32, Pitch: 12},
		"a pitch of 4 bytes; it is a multiple":   {Width: 2, Height: 2, Channels: 1, Element: ptx.F32, Pitch: 4},
		"a pitch of 6 bytes; it is a multiple":   {Width: 1, Height: 2, Channels: 1, Element: ptx.F32, Pitch: 6},
		"a pitch of 8 bytes; a texture of two":   {Width: 1, Channels: 1, Element: ptx.F32, Pitch: 8},
	} {
		texture.Name, texture.Address = "t", address
		if _, err := d.CreateTexture(texture); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", texture, err, want)
		}
	}
}

// instruction has an opcode and modifiers.
func instruction(op ptx.Opcode, mods ...ptx.Mod) *ptx.Instruction {
	in := &ptx.Instruction{Op: op, Types: [4]ptx.Type{ptx.F32, ptx.S32}}
	for _, m := range mods {
		in.Mods.Add(m)
	}
	return in
}

// An instruction takes a texture to have the dimensions and layers of its modifier, and goes to no other.
func TestInstructionsGoToTexturesOfTheirGeometry(t *testing.T) {
	textures := map[string]*BoundTexture{
		".1d": {Texture: Texture{Width: 4}}, ".2d": {Texture: Texture{Width: 4, Height: 2}}, ".3d": {Texture: Texture{Width: 4, Height: 2, Depth: 2}},
		".a1d": {Texture: Texture{Width: 4, Layers: 1}}, ".a2d": {Texture: Texture{Width: 4, Height: 2, Layers: 3}},
	}
	for name, c := range map[string]struct {
		mod  ptx.Mod
		want Geometry
	}{
		".1d": {ptx.Mod1d, Geometry{ptx.OpTex, 1, false}}, ".2d": {ptx.Mod2d, Geometry{ptx.OpTex, 2, false}}, ".3d": {ptx.Mod3d, Geometry{ptx.OpTex, 3, false}},
		".a1d": {ptx.ModA1d, Geometry{ptx.OpTex, 1, true}}, ".a2d": {ptx.ModA2d, Geometry{ptx.OpTex, 2, true}},
	} {
		g := GeometryOf(instruction(ptx.OpTex, c.mod))
		coordinates := c.want.Dimensions
		if c.want.Layered {
			coordinates++
		}
		if g != c.want || g.Count() != coordinates {
			t.Errorf("%s: %+v with %d coordinates", name, g, g.Count())
		}
		for of, texture := range textures {
			if against := g.Against(texture); (against == "") != (of == name) {
				t.Errorf("%s of a texture for %s: %q", name, of, against)
			}
		}
	}
	for channel, m := range []ptx.Mod{ptx.ModR, ptx.ModG, ptx.ModB, ptx.ModA} {
		if f := FetchOf(instruction(ptx.OpTld4, ptx.Mod2d, m)); !f.Gather || f.Channel != channel || !f.Float || !f.Texels {
			t.Errorf("tld4 of channel %d: %+v", channel, f)
		}
	}
}

// A surface access begins at its byte, or its texel, of a row, plane and layer. One that reaches beyond is outside, and
// the nearest place that holds it is given. Layers are clamped.
func TestSurfaceAccessesHaveTheirPlaces(t *testing.T) {
	clamped := func(v, most int) int { return max(0, min(v, most)) }
	for _, texture := range []Texture{{Width: 5}, {Width: 4, Height: 3}, {Width: 4, Height: 3, Pitch: 80}, {Width: 3, Height: 2, Depth: 4}, {Width: 4, Layers: 3}, {Width: 4, Height: 2, Layers: 3}} {
		d := New(1 << 12)
		texture.Channels, texture.Element, texture.Address = 2, ptx.S32, upload(t, d, "s", make([]uint32, 200))+16
		handle, err := d.CreateTexture(texture)
		if err != nil {
			t.Fatal(err)
		}
		b := d.Texture(handle)
		g := Geometry{Dimensions: b.Dimensions(), Layered: texture.Layers > 0}
		row := max(texture.Pitch, 8*texture.Width)
		for _, a := range []SurfaceAccess{{Geometry: g, Bytes: 4}, {Geometry: g, Bytes: 16}, {Geometry: g, Samples: true}} {
			bytes, step := a.Bytes, 1
			if a.Samples {
				bytes, step = 8, 8
			}
			for x := -3; x < 8*texture.Width+3; x++ {
				for y := -1; y <= max(texture.Height, texture.Layers); y++ {
					for z := -1; z <= max(texture.Depth, texture.Layers); z++ {
						at := [3]int{x, y, z} // of the byte or texel, the row, and the plane
						raw := at
						switch {
						case g.Layered && g.Dimensions == 1:
							at, raw = [3]int{x, 0, z}, [3]int{z, x}
						case g.Layered:
							raw = [3]int{z, x, y}
						case g.Dimensions == 1:
							at = [3]int{x, 0, 0}
						case g.Dimensions == 2:
							at = [3]int{x, y, 0}
						}
						if g.Layered {
							if at[2] = int(uint32(z)); at[2] >= texture.Layers { // also what is below zero
								at[2] = texture.Layers - 1
							}
						}
						at[0] *= step
						near := [3]int{clamped(at[0], 8*texture.Width-bytes), clamped(at[1], max(texture.Height, 1)-1), clamped(at[2], max(texture.Depth, texture.Layers, 1)-1)}
						want := uint64(16 + near[0] + row*(near[1]+max(texture.Height, 1)*near[2]))
						got, inside := b.SurfacePlace(&a, [3]uint32{uint32(raw[0]), uint32(raw[1]), uint32(raw[2])})
						if got != want || inside != (at == near) {
							t.Fatalf("%+v of %+v at %v: byte %d, inside %t, want %d, %t", a, texture, raw, got, inside, want, at == near)
						}
					}
				}
			}
		}
	}
}

// Integers stand for numbers of 0 to 1, signed ones for -1 to 1, whose two lowest are both -1. Each comes back from its
// number, and what lies outside is the nearest.
func TestNormalisedNumbersStandForIntegers(t *testing.T) {
	for _, c := range []struct {
		element   ptx.Type
		low, high int64
	}{{ptx.U8, 0, 255}, {ptx.S8, -128, 127}, {ptx.U16, 0, 65535}, {ptx.S16, -32768, 32767}} {
		b := &BoundTexture{Texture: Texture{Element: c.element}, ElementBytes: c.element.Bytes()}
		for raw := c.low; raw <= c.high; raw++ {
			want := float32(float64(raw) / float64(c.high))
			if want < -1 {
				want = -1
			}
			got := b.normalized(raw)
			if back := int64(b.FromNormalized(got)); got != want || back != max(raw, -c.high) {
				t.Fatalf("%s: %d is %g, want %g; it comes back as %d", c.element, raw, got, want, back)
			}
		}
		least := min(int64(0), -c.high*min(c.low*-1, 1))
		for v, want := range map[float32]int64{2: c.high, 1.001: c.high, -2: least, float32(math.Inf(-1)): least, float32(math.Inf(1)): c.high, 0.5: int64(math.RoundToEven(float64(c.high) / 2))} {
			if got := int64(b.FromNormalized(v)); got != want {
				t.Errorf("%s: %g gives %d, want %d", c.element, v, got, want)
			}
		}
		if got := b.FromNormalized(float32(math.NaN())); got != 0 {
			t.Errorf("%s: a NaN gives %d", c.element, got)
		}
	}
}
