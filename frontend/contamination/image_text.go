// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/emulator/memory"
)

// mostPlace bounds coordinates, as memory.Bounded does.
var mostPlace = int(memory.Bounded(math.Inf(1)))

// read writes the code that reads a texel, or filters between texels. It does what
// memory.BoundTexture does, in the same order: so results are the same bits.
func (w *imageWriter) read() {
	w.line(".reg .pred %%linear, %%border;")
	w.line(".reg .b32 %%mode, %%normal, %%corner, %%corners, %%weight<3>, %%channel;")
	w.line(".reg .b64 %%from;")
	w.line(".reg .f64 %%sum<4>, %%share, %%z;")
	w.sampler()
	w.line("// which texels, and of filters their weights in 256ths")
	for d := range w.Dimensions {
		w.locate(d)
	}
	for d := w.Dimensions; d < 3; d++ {
		w.line("mov.u32 %%at%d, 0;", d)
	}
	if w.Layered {
		w.layer()
	}
	for n := range 4 {
		w.line("mov.u32 %%v%d, 0;", n)
	}
	if w.CanFilter() {
		for n := range 4 {
			w.line("mov.f64 %%sum%d, 0d0000000000000000;", n)
		}
		w.line("selp.u32 %%corners, %d, 1, %%linear;", 1<<w.Dimensions)
		w.line("mov.u32 %%corner, 0;")
		w.place("CORNER:")
		w.line("// the next texel of a filter, and its weight")
		w.share()
		w.line("and.pred %%p, %%linear, %%p;")
		w.line("@%%p bra NEXT;")
	}
	w.texel()
	if w.CanFilter() {
		w.place("NEXT:")
		w.line("add.u32 %%corner, %%corner, 1;")
		w.line("setp.lt.u32 %%p, %%corner, %%corners;")
		w.line("@%%p bra CORNER;")
		w.line("@!%%linear bra GIVE;")
		for n := range 4 {
			w.line("cvt.rn.f32.f64 %%f, %%sum%d;", n)
			w.line("mov.b32 %%v%d, %%f;", n)
		}
		w.place("GIVE:")
	}
	one := uint32(1)
	if w.Name == "read_imagef" {
		one = math.Float32bits(1)
	}
	w.line("setp.lt.u32 %%p, %%channels, 4;")
	w.line("selp.b32 %%v3, 0x%x, %%v3, %%p;", one)
	w.give(4)
}

// sampler checks the sampler, as memory.ImageFunction.SamplerAgainst does, and takes its bits.
func (w *imageWriter) sampler() {
	w.line("// the sampler's address mode, filter and kind of coordinates")
	w.line("setp.gt.u64 %%p, %%sampler, 63;")
	w.line("@%%p bra WRONG;")
	w.line("cvt.u32.u64 %%t, %%sampler;")
	w.line("and.b32 %%mode, %%t, %d;", memory.SamplerAddressMask)
	w.line("setp.gt.u32 %%p, %%mode, 8;")
	w.line("@%%p bra WRONG;")
	w.line("and.b32 %%u, %%t, %d;", memory.SamplerFilterMask)
	w.line("setp.eq.u32 %%p, %%u, %d;", memory.SamplerFilterMask)
	w.line("@%%p bra WRONG;")
	w.line("setp.eq.u32 %%linear, %%u, %d;", memory.SamplerLinear)
	w.line("and.b32 %%normal, %%t, %d;", memory.SamplerNormalized)
	w.line("setp.eq.u32 %%q, %%normal, 0;")
	if w.Float {
		w.line("setp.gt.and.u32 %%p, %%mode, 4, %%q;")
		w.line("@%%p bra WRONG;")
	} else {
		w.line("setp.gt.or.u32 %%p, %%mode, 4, !%%q;")
		w.line("@%%p bra WRONG;")
	}
}

// locate finds the texel of a coordinate, and where a filter goes on from it.
func (w *imageWriter) locate(d int) {
	if !w.Float {
		w.line("max.s32 %%at%d, %%c%d, %d;", d, d, -mostPlace)
		w.line("min.s32 %%at%d, %%at%d, %d;", d, d, mostPlace)
		return
	}
	w.line("mov.b32 %%f, %%c%d;", d)
	w.line("cvt.f64.f32 %%x, %%f;")
	w.line("cvt.rn.f64.u32 %%y, %%side%d;", d)
	w.line("setp.ne.u32 %%p, %%normal, 0;")
	w.line("selp.f64 %%y, %%y, 0d%016X, %%p;", math.Float64bits(1))
	w.line("mul.rn.f64 %%x, %%x, %%y;")
	w.bound("%x")
	if w.CanFilter() {
		w.line("add.rn.f64 %%y, %%x, 0d%016X;", math.Float64bits(-0.5))
		w.line("cvt.rmi.f64.f64 %%z, %%y;")
		w.line("sub.rn.f64 %%y, %%y, %%z;")
		w.line("mul.rn.f64 %%y, %%y, 0d%016X;", math.Float64bits(256))
		w.line("add.rn.f64 %%y, %%y, 0d%016X;", math.Float64bits(0.5))
		w.line("cvt.rmi.s32.f64 %%weight%d, %%y;", d)
		w.line("selp.f64 %%x, %%z, %%x, %%linear;")
	}
	w.line("cvt.rmi.s32.f64 %%at%d, %%x;", d)
}

// bound makes any coordinate a number near the largest image; NaN is 0.
func (w *imageWriter) bound(x string) {
	w.line("setp.nan.f64 %%p, %s, %s;", x, x)
	w.line("selp.f64 %s, 0d0000000000000000, %s, %%p;", x, x)
	w.line("min.f64 %s, %s, 0d%016X;", x, x, math.Float64bits(float64(mostPlace)))
	w.line("max.f64 %s, %s, 0d%016X;", x, x, math.Float64bits(float64(-mostPlace)))
}

// layer finds the nearest layer that there is.
func (w *imageWriter) layer() {
	w.line("// the nearest layer")
	if w.Float {
		w.line("mov.b32 %%f, %%c2;")
		w.line("cvt.f64.f32 %%x, %%f;")
		w.bound("%x")
		w.line("cvt.rni.s32.f64 %%c2, %%x;")
	}
	w.line("sub.u32 %%t, %%side2, 1;")
	w.line("max.s32 %%at2, %%c2, 0;")
	w.line("min.s32 %%at2, %%at2, %%t;")
}

// share computes the weight of a corner, and in %p whether it has none. The lowest bits of a
// corner's number say along which sides it is the upper texel.
func (w *imageWriter) share() {
	w.line("mov.f64 %%share, 0d%016X;", math.Float64bits(1))
	for d := range w.Dimensions {
		w.line("and.b32 %%t, %%corner, %d;", 1<<d)
		w.line("setp.eq.u32 %%q, %%t, 0;")
		w.line("sub.u32 %%t, 256, %%weight%d;", d)
		w.line("selp.u32 %%t, %%t, %%weight%d, %%q;", d)
		w.line("cvt.rn.f64.u32 %%x, %%t;")
		w.line("mul.rn.f64 %%x, %%x, 0d%016X;", math.Float64bits(1.0/256))
		w.line("mul.rn.f64 %%share, %%share, %%x;")
	}
	w.line("setp.eq.f64 %%p, %%share, 0d0000000000000000;")
}

// texel reads the channels of the texel at a place, of a filter those of a corner.
func (w *imageWriter) texel() {
	w.line("// where the texel lies under the address mode; beyond a border there are zeros")
	w.line("setp.ne.u32 %%border, %%side0, %%side0;")
	w.line("mov.u64 %%texel, 0;")
	for d := 2; d >= 0; d-- {
		w.line("mov.u32 %%t, %%at%d;", d)
		if d < w.Dimensions {
			if w.CanFilter() {
				w.line("shr.u32 %%u, %%corner, %d;", d)
				w.line("and.b32 %%u, %%u, 1;")
				w.line("add.u32 %%t, %%t, %%u;")
			}
			w.inside(d)
		}
		w.line("cvt.u64.u32 %%d, %%side%d;", d)
		w.line("cvt.u64.u32 %%e, %%t;")
		w.line("mad.lo.u64 %%texel, %%texel, %%d, %%e;")
	}
	done := "GIVEN"
	if w.CanFilter() {
		done = "NEXT"
	}
	w.line("@%%border bra %s;", done)
	w.texelAddress()
	for n := range 4 {
		w.line("setp.le.u32 %%p, %%channels, %d;", n)
		w.line("@%%p bra %s;", done)
		w.line("// channel %d", n)
		w.load(n)
		if !w.CanFilter() {
			w.line("mov.b32 %%v%d, %%channel;", n)
			continue
		}
		near := w.label("NEAR")
		w.line("@!%%linear bra %s;", near)
		w.line("mov.b32 %%f, %%channel;")
		w.line("cvt.f64.f32 %%x, %%f;")
		w.line("mul.rn.f64 %%x, %%x, %%share;")
		w.line("add.rn.f64 %%sum%d, %%sum%d, %%x;", n, n)
		w.place("%s:", near)
		w.line("mov.b32 %%v%d, %%channel;", n)
	}
	if !w.CanFilter() {
		w.place("GIVEN:")
	}
}

// texelAddress makes the address of the texel of a number.
func (w *imageWriter) texelAddress() {
	w.line("ld.global.u32 %%t, [%%row+%d];", ImageTexel)
	w.line("cvt.u64.u32 %%d, %%t;")
	w.line("ld.global.u64 %%e, [%%row+%d];", ImageAddress)
	w.line("mad.lo.u64 %%texel, %%texel, %%d, %%e;")
}

// inside applies the address mode to the place in %t.
func (w *imageWriter) inside(d int) {
	done, mirror, edge := w.label("INSIDE"), w.label("MIRROR"), w.label("EDGE")
	w.line("setp.lt.u32 %%p, %%t, %%side%d;", d)
	w.line("@%%p bra %s;", done)
	w.line("setp.lt.u32 %%p, %%mode, 6;")
	w.line("@%%p bra %s;", edge)
	w.line("setp.eq.u32 %%p, %%mode, 8;")
	w.line("@%%p bra %s;", mirror)
	w.line("rem.s32 %%t, %%t, %%side%d;", d)
	w.line("add.s32 %%t, %%t, %%side%d;", d)
	w.line("rem.s32 %%t, %%t, %%side%d;", d)
	w.line("bra %s;", done)
	w.place("%s:", mirror)
	w.line("shl.b32 %%u, %%side%d, 1;", d)
	w.line("rem.s32 %%t, %%t, %%u;")
	w.line("add.s32 %%t, %%t, %%u;")
	w.line("rem.s32 %%t, %%t, %%u;")
	w.line("sub.u32 %%u, %%u, 1;")
	w.line("sub.u32 %%u, %%u, %%t;")
	w.line("min.u32 %%t, %%t, %%u;")
	w.line("bra %s;", done)
	w.place("%s:", edge)
	w.line("setp.eq.or.u32 %%border, %%mode, 4, %%border;")
	w.line("sub.u32 %%u, %%side%d, 1;", d)
	w.line("max.s32 %%t, %%t, 0;")
	w.line("min.s32 %%t, %%t, %%u;")
	w.place("%s:", done)
}

// flag sets a predicate to whether the image's channels are so.
func (w *imageWriter) flag(p string, flag int) {
	w.line("and.b32 %%place, %%flags, %d;", flag)
	w.line("setp.ne.u32 %s, %%place, 0;", p)
}

// channel computes the address of a channel.
func (w *imageWriter) channel(to string, n int) {
	w.line("mov.u32 %%place, %d;", n)
	if n%2 == 0 {
		w.line("xor.b32 %%place, %%place, %%swap;")
	}
	w.line("mul.lo.u32 %%place, %%element, %%place;")
	w.line("cvt.u64.u32 %%d, %%place;")
	w.line("add.u64 %s, %%texel, %%d;", to)
}

// load reads a channel of the texel as the function has it.
func (w *imageWriter) load(n int) {
	done, wide, word := w.label("READ"), w.label("WIDE"), w.label("WORD")
	w.channel("%from", n)
	w.flag("%q", ImageSigned)
	w.line("setp.eq.u32 %%p, %%element, 4;")
	w.line("@%%p bra %s;", word)
	w.line("setp.eq.u32 %%p, %%element, 2;")
	w.line("@%%p bra %s;", wide)
	w.line("@!%%q ld.global.u8 %%channel, [%%from];")
	w.line("@%%q ld.global.s8 %%channel, [%%from];")
	w.line("selp.u32 %%u, 0x%x, 0x%x, %%q;", math.MaxInt8, math.MaxUint8)
	w.line("bra %s;", done)
	w.place("%s:", wide)
	is := w.label("IS")
	if w.Name == "read_imagef" {
		whole := w.label("WHOLE")
		w.flag("%half", ImageHalf)
		w.line("@!%%half bra %s;", whole)
		w.line("ld.global.b16 %%h, [%%from];")
		w.line("cvt.f32.f16 %%f, %%h;")
		w.line("mov.b32 %%channel, %%f;")
		w.line("bra %s;", is)
		w.place("%s:", whole)
	}
	w.line("@!%%q ld.global.u16 %%channel, [%%from];")
	w.line("@%%q ld.global.s16 %%channel, [%%from];")
	w.line("selp.u32 %%u, 0x%x, 0x%x, %%q;", math.MaxInt16, math.MaxUint16)
	w.line("bra %s;", done)
	w.place("%s:", word)
	w.line("ld.global.b32 %%channel, [%%from];")
	if w.Name == "read_imagef" {
		w.line("bra %s;", is)
		w.place("%s:", done)
		w.line("// a number of 0 to 1, or of -1 to 1")
		w.line("cvt.rn.f64.s32 %%x, %%channel;")
		w.line("cvt.rn.f64.u32 %%scale, %%u;")
		w.line("div.rn.f64 %%x, %%x, %%scale;")
		w.line("max.f64 %%x, %%x, 0d%016X;", math.Float64bits(-1))
		w.line("cvt.rn.f32.f64 %%f, %%x;")
		w.line("mov.b32 %%channel, %%f;")
		w.place("%s:", is)
		return
	}
	w.place("%s:", done)
}

// store writes the code that stores a texel.
func (w *imageWriter) store() {
	w.line("// where the texel lies; outside there is none")
	w.line("mov.u64 %%texel, 0;")
	for d := 2; d >= 0; d-- {
		w.line("setp.ge.u32 %%p, %%c%d, %%side%d;", d, d)
		w.line("@%%p bra WRONG;")
		w.line("cvt.u64.u32 %%d, %%side%d;", d)
		w.line("cvt.u64.u32 %%e, %%c%d;", d)
		w.line("mad.lo.u64 %%texel, %%texel, %%d, %%e;")
	}
	w.texelAddress()
	w.line("// what an element holds")
	w.flag("%q", ImageSigned)
	w.line("setp.eq.u32 %%p, %%element, 1;")
	w.line("selp.u32 %%t, 0x%x, 0x%x, %%p;", math.MaxInt8, math.MaxInt16)
	w.line("selp.u32 %%u, 0x%x, 0x%x, %%p;", math.MaxUint8, math.MaxUint16)
	w.line("selp.u32 %%t, %%t, %%u, %%q;")
	w.line("not.b32 %%u, %%t;") // the lowest signed one
	if w.Name == "write_imagef" {
		w.line("cvt.rn.f64.u32 %%scale, %%t;")
		w.line("selp.f64 %%low, 0d%016X, 0d0000000000000000, %%q;", math.Float64bits(-1))
	}
	for n := range 4 {
		w.line("setp.le.u32 %%p, %%channels, %d;", n)
		w.line("@%%p bra STORED;")
		w.line("// channel %d", n)
		w.put(n)
	}
	w.place("STORED:")
	w.line("ret;")
	w.wrong()
}

// put stores one channel: integers are limited to what the element holds, and numbers become
// the nearest that stands for them.
func (w *imageWriter) put(n int) {
	narrow, word, done := w.label("NARROW"), w.label("BYTE"), w.label("PUT")
	w.line("setp.ne.u32 %%p, %%element, 4;")
	w.line("@%%p bra %s;", narrow)
	w.line("st.global.b32 [%%texel+%d], %%v%d;", 4*n, n) // never BGRA
	w.line("bra %s;", done)
	w.place("%s:", narrow)
	if v := fmt.Sprintf("%%v%d", n); w.Name == "write_imagef" {
		whole := w.label("WHOLE")
		w.line("mov.b32 %%f, %s;", v)
		w.flag("%half", ImageHalf)
		w.line("@!%%half bra %s;", whole)
		w.line("cvt.rn.f16.f32 %%h, %%f;")
		w.line("st.global.b16 [%%texel+%d], %%h;", 2*n)
		w.line("bra %s;", done)
		w.place("%s:", whole)
		w.line("cvt.f64.f32 %%x, %%f;")
		w.line("setp.nan.f64 %%p, %%x, %%x;")
		w.line("min.f64 %%x, %%x, 0d%016X;", math.Float64bits(1))
		w.line("max.f64 %%x, %%x, %%low;")
		w.line("mul.rn.f64 %%x, %%x, %%scale;")
		w.line("cvt.rni.s32.f64 %s, %%x;", v)
		w.line("selp.b32 %s, 0, %s, %%p;", v, v)
	} else {
		w.line("@!%%q min.u32 %s, %s, %%t;", v, v)
		w.line("@%%q min.s32 %s, %s, %%t;", v, v)
		w.line("@%%q max.s32 %s, %s, %%u;", v, v)
	}
	w.line("setp.eq.u32 %%p, %%element, 1;")
	w.line("@%%p bra %s;", word)
	w.line("st.global.u16 [%%texel+%d], %%v%d;", 2*n, n)
	w.line("bra %s;", done)
	w.place("%s:", word)
	w.channel("%d", n)
	w.line("st.global.u8 [%%d], %%v%d;", n)
	w.place("%s:", done)
}
