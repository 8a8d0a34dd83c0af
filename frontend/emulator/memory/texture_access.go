// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/ptx"
)

// Geometry is the shape that an instruction takes a texture or surface to have.
type Geometry struct {
	Op         ptx.Opcode
	Dimensions int  // of one layer
	Layered    bool // the first coordinate is a layer
}

// GeometryOf is the geometry of a texture or surface instruction.
func GeometryOf(in *ptx.Instruction) Geometry {
	g := Geometry{Op: in.Op, Dimensions: 1}
	switch {
	case in.Mods.Has(ptx.Mod2d):
		g.Dimensions = 2
	case in.Mods.Has(ptx.Mod3d):
		g.Dimensions = 3
	case in.Mods.Has(ptx.ModA1d):
		g.Layered = true
	case in.Mods.Has(ptx.ModA2d):
		g.Dimensions, g.Layered = 2, true
	}
	return g
}

// Count is the number of coordinates, with that of the layer.
func (g *Geometry) Count() int {
	if g.Layered {
		return g.Dimensions + 1
	}
	return g.Dimensions
}

// Against says what stands against an access to a texture; empty when nothing does.
func (g *Geometry) Against(t *BoundTexture) string {
	switch {
	case g.Dimensions != t.Dimensions():
		return fmt.Sprintf("%s.%dd of texture %s, which has %d dimensions", g.Op, g.Dimensions, t.Name, t.Dimensions())
	case g.Layered && t.Layers == 0:
		return fmt.Sprintf("%s.a%dd is for textures with layers and no others; texture %s has %d", g.Op, g.Dimensions, t.Name, t.Layers)
	case !g.Layered && t.Layers > 0:
		return fmt.Sprintf("texture %s has %d layers, which %s.a%dd fetches from", t.Name, t.Layers, g.Op, g.Dimensions)
	}
	return ""
}

// Fetch is what a tex (9.7.10.3) or tld4 (9.7.10.4) asks for.
type Fetch struct {
	Geometry
	Float  bool // results are .f32
	Texels bool // coordinates are .s32
	// Gather says that it is tld4, of the given channel.
	Gather  bool
	Channel int
}

// FetchOf is the fetch of a tex or tld4.
func FetchOf(in *ptx.Instruction) Fetch {
	f := Fetch{Geometry: GeometryOf(in), Float: in.Types[0] == ptx.F32, Texels: in.Types[1] == ptx.S32, Gather: in.Op == ptx.OpTld4}
	for n, m := range []ptx.Mod{ptx.ModR, ptx.ModG, ptx.ModB, ptx.ModA} {
		if f.Gather && in.Mods.Has(m) {
			f.Channel = n
		}
	}
	return f
}

// Fetch reads the texture at one lane's coordinates, in the order of the instruction, as
// bits of its types. moved is tld4's operand e. The address is that of the texel, of the one
// with the lowest coordinates where four or eight are filtered or gathered.
func (t *BoundTexture) Fetch(f *Fetch, raw [3]uint32, moved [2]uint32) (v Texel, address uint64) {
	float := f.Float || t.Floats || t.Element == ptx.F16
	if f.Layered { // the layer, of type .u32, goes last
		raw = [3]uint32{raw[1], raw[2], min(raw[0], MaxTextureLayers)}
		if f.Dimensions == 1 {
			raw[1] = 0
		}
	}
	if f.Texels {
		return t.TexelAt([3]int{int(int32(raw[0])), int(int32(raw[1])), int(int32(raw[2]))}, float)
	}
	var places [3]Coordinate
	sides := t.Sides()
	for d := range f.Dimensions {
		places[d] = t.Locate(math.Float32frombits(raw[d]), sides[d])
	}
	if f.Layered {
		places[2] = Coordinate{At: int(raw[2])}
	}
	if f.Gather {
		for d := range moved {
			places[d] = t.Between(math.Float32frombits(raw[d]), sides[d])
			places[d].At += int(int32(moved[d]))
		}
		return t.Gather(places, f.Channel, float)
	}
	if t.Linear && float {
		return t.Interpolate(places)
	}
	return t.At([3]int{places[0].At, places[1].At, places[2].At}, float)
}

// SurfaceAccess is where a suld, sust or sured accesses a surface (9.7.11).
type SurfaceAccess struct {
	Geometry
	// Samples says that the lowest coordinate counts texels (.p), not bytes.
	Samples bool
	// Bytes of an unformatted access.
	Bytes int
}

// SurfaceAccessOf is the access of a surface instruction.
func SurfaceAccessOf(in *ptx.Instruction) SurfaceAccess {
	return SurfaceAccess{Geometry: GeometryOf(in), Samples: in.Mods.Has(ptx.ModP), Bytes: in.Vector * in.Type().Bytes()}
}

// BytesIn is what a lane accesses in a surface: a texel for formatted accesses.
func (a *SurfaceAccess) BytesIn(t *BoundTexture) int {
	if a.Samples {
		return t.TexelBytes
	}
	return a.Bytes
}

// SurfacePlace gives where in its memory the access at one lane's coordinates begins, and
// whether it lies inside; the nearest place if not. Layers are clamped, as of textures.
func (t *BoundTexture) SurfacePlace(a *SurfaceAccess, coordinates [3]uint32) (offset uint64, inside bool) {
	var raw [3]int
	for d := range a.Count() {
		raw[d] = int(int32(coordinates[d]))
	}
	if a.Layered {
		layer := int(min(uint32(raw[0]), uint32(t.Layers-1)))
		raw = [3]int{raw[1], raw[2], layer}
		if a.Dimensions == 1 {
			raw = [3]int{raw[0], 0, layer}
		}
	}
	sides := t.Sides()
	x, last := raw[0], sides[0]*t.TexelBytes-a.BytesIn(t)
	if a.Samples {
		x *= t.TexelBytes
	}
	near := max(0, min(x, last))
	inside = near == x && last >= 0
	for d := 1; d < 3; d++ {
		v := max(0, min(raw[d], sides[d]-1))
		inside = inside && v == raw[d]
		raw[d] = v
	}
	row := uint64(raw[2])*uint64(sides[1]) + uint64(raw[1])
	return t.Offset + row*uint64(t.RowBytes) + uint64(near), inside
}
