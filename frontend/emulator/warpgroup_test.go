// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// warpgroupCase is one form of wgmma.mma_async with the layouts of its factors.
type warpgroupCase struct {
	d, a, b        string // types
	n, k           int
	span           int // swizzle of both factors
	transA, transB bool
	registers      bool // a is in registers
	signA, signB   int
	keep           bool
	more           string // .satfinite, or what comes behind the types
	sparse         bool
	selector       int
}

// bitsOf is the width of an element.
func bitsOf(t string) int {
	return map[string]int{"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "f32": 32, "s32": 32}[t]
}

// small has the codes of small whole numbers by type.
var small = map[string]map[int]uint64{"f16": {}, "bf16": {}, "e4m3": {}, "e5m2": {}, "f32": {}}

// encodeSmall gives the bits of a small whole number in a type.
func encodeSmall(t string, v int) uint64 {
	switch t {
	case "f16", "bf16", "e4m3", "e5m2", "f32":
		if code, ok := small[t][v]; ok {
			return code
		}
		f := formats[t]
		r := number(twoTo(0), false)
		r.value.SetInt64(int64(v))
		r.negative = v < 0
		small[t][v] = f.encode(r, "rn")
		return small[t][v]
	case "tf32":
		return uint64(math.Float32bits(float32(v)))
	}
	return uint64(v) & (1<<bitsOf(t) - 1)
}

// smallNumber draws a number that the type holds, as do sums of its products.
func smallNumber(t string, r *rand.Rand) int {
	switch t {
	case "b1":
		return r.IntN(2)
	case "u8":
		return r.IntN(256)
	case "s8":
		return r.IntN(256) - 128
	case "u4":
		return r.IntN(16)
	case "s4":
		return r.IntN(16) - 8
	}
	return r.IntN(7) - 3
}

// swizzleTable moves the 16-byte pieces of an image as the figures of the ISA show
// it. In rows of 128 bytes, piece number p of the row r is at p with its bits
// flipped where those of r are set. Only the bits that number the pieces of the
// span flip.
func swizzleTable(linear []byte, span, start int) []byte {
	moved := make([]byte, len(linear))
	copy(moved, linear)
	for at := 0; at+16 <= len(linear) && span > 0; at += 16 {
		row, piece := (start+at)/128, (start+at)/16%8
		flip := 0
		for bit, width := 0, 16; width < span; bit, width = bit+1, width*2 {
			flip |= row & (1 << bit)
		}
		target := row*128 + (piece^flip)*16 - start
		copy(moved[target:target+16], linear[at:at+16])
	}
	return moved
}

// layFactor writes a factor of lines (rows of a, columns of b) with the given value
// of (line, k) into an image of shared memory. It gives the image and the two byte
// offsets of its descriptor.
func layFactor(t string, lines, k, span int, transposed bool, value func(line, k int) uint64) (image []byte, leading, stride int) {
	width := bitsOf(t)
	image = make([]byte, 64<<10)
	put := func(at int, bit int, v uint64) { // at in bytes
		switch width {
		case 1:
			image[at+bit/8] |= byte(v << (bit % 8))
		case 8:
			image[at] = byte(v)
		case 16:
			binary.LittleEndian.PutUint16(image[at:], uint16(v))
		default:
			binary.LittleEndian.PutUint32(image[at:], uint32(v))
		}
	}
	pieces := max(span/16, 1)
	if transposed {
		// Atoms of eight k by span bytes along the lines; core matrices of 16 bytes
		// without swizzle.
		across := 8 * pieces // lines in an atom
		atom := 8 * 16 * pieces
		atomsK := k / 8
		for line := range lines {
			for kk := range k {
				number := line/across*atomsK + kk/8
				put(number*atom+kk%8*16*pieces+line%across*2, 0, value(line, kk))
			}
		}
		if span == 0 { // the stride goes along the lines, the leading one along k
			return image, atom, atom * atomsK
		}
		return image, atom * atomsK, atom
	}
	if span == 0 { // core matrices of eight lines by 16 bytes
		for line := range lines {
			for kk := range k {
				byteAt := kk * width / 8
				core := byteAt/16*(lines/8) + line/8
				put(core*128+line%8*16+byteAt%16&^(max(width/8, 1)-1), kk*width%8, value(line, kk))
			}
		}
		return image, 128 * (lines / 8), 128
	}
	for line := range lines { // lines of span bytes; a factor has 32 of each
		for kk := range k {
			put(line*span+kk*width/8, kk*width%8, value(line, kk))
		}
	}
	return image, 16, 8 * span
}

func (w *warpgroupCase) name() string {
	source := "shared"
	if w.registers {
		source = "registers"
	}
	return fmt.Sprintf("%s.%s.%s n%d span %d trans %v,%v a in %s", w.d, w.a, w.b, w.n, w.span, w.transA, w.transB, source)
}

// instruction writes the wgmma of the case.
func (w *warpgroupCase) instruction(d []string) string {
	a := "%da"
	if w.registers {
		a = "{%ra0, %ra1, %ra2, %ra3}"
	}
	variant, metadata := "", ""
	if w.sparse {
		variant, metadata = ".sp", fmt.Sprintf("%%r6, %d, ", w.selector)
	}
	text := fmt.Sprintf("wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s {%s}, %s, %%db, %s%%keep", variant, w.n, w.k, map[bool]string{true: w.more}[w.more == ".satfinite"],
		w.d, w.a, w.b, map[bool]string{true: w.more}[w.more != ".satfinite"], strings.Join(d, ", "), a, metadata)
	if w.d == "s32" {
		return text + ";"
	}
	text += fmt.Sprintf(", %d, %d", w.signA, w.signB)
	flag := map[bool]int{true: 1}
	if bitsOf(w.a) == 16 {
		if !w.registers {
			text += fmt.Sprintf(", %d", flag[w.transA])
		}
		text += fmt.Sprintf(", %d", flag[w.transB])
	}
	return text + ";"
}

// kernel copies the image of both factors to shared memory, multiplies, and stores
// every thread's registers.
func (w *warpgroupCase) kernel(bytes int, descA, descB uint64) string {
	count := w.n / 2
	if w.d == "f16" {
		count = w.n / 4
	}
	var b strings.Builder
	fmt.Fprintf(&b, `.version 8.0
.target sm_90a
.address_size 64
.entry k(.param .u64 out, .param .u64 image, .param .u64 rows) {
	.shared .align 1024 .b8 tile[%d];
	.reg .b32 %%s<132>; .reg .f32 %%f<132>; .reg .b32 %%ra<4>; .reg .b32 %%r<8>; .reg .b64 %%da; .reg .b64 %%db; .reg .b64 %%d<8>; .reg .pred %%p; .reg .pred %%keep;
	ld.param.u64 %%d1, [out]; ld.param.u64 %%d2, [image]; ld.param.u64 %%d3, [rows];
	mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%r1;
COPY:
	shl.b32 %%r3, %%r2, 2; cvt.u64.u32 %%d4, %%r3; add.u64 %%d4, %%d4, %%d2; ld.global.b32 %%r4, [%%d4];
	mov.u32 %%r5, tile; add.u32 %%r5, %%r5, %%r3; st.shared.b32 [%%r5], %%r4;
	add.u32 %%r2, %%r2, 128; setp.lt.u32 %%p, %%r2, %d; @%%p bra COPY;
	fence.proxy.async;
	bar.sync 0;
	mul.wide.u32 %%d4, %%r1, 16; add.u64 %%d4, %%d4, %%d3; ld.global.v4.b32 {%%ra0, %%ra1, %%ra2, %%ra3}, [%%d4];
	mul.wide.u32 %%d4, %%r1, 4; add.u64 %%d4, %%d4, %%d3; ld.global.b32 %%r6, [%%d4+2048];
	mul.wide.u32 %%d5, %%r1, %d; add.u64 %%d5, %%d5, %%d1;
	mov.b64 %%da, 0x%x; mov.b64 %%db, 0x%x;
	setp.eq.u32 %%keep, 0, %d;
`, bytes, bytes/4, 4*count, descA, descB, map[bool]int{true: 0, false: 1}[w.keep])
	register := "%s"
	if w.d == "f32" {
		register = "%f"
	}
	var d []string
	for i := range count {
		d = append(d, fmt.Sprintf("%s%d", register, i))
		fmt.Fprintf(&b, "ld.global.b32 %s%d, [%%d5+%d];\n", register, i, 4*i)
	}
	b.WriteString("wgmma.fence.sync.aligned;\n" + w.instruction(d) + "\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n")
	for i := range count {
		fmt.Fprintf(&b, "st.global.b32 [%%d5+%d], %s%d;\n", 4*i, register, i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// descriptorOf puts a matrix descriptor together by its fields' first bits.
func descriptorOf(start, leading, stride, span int) uint64 {
	mode := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[span]
	return uint64(start/16) + uint64(leading/16)*(1<<16) + uint64(stride/16)*(1<<32) + mode*(1<<62)
}

// check runs the case on small whole numbers, whose products add up exactly in any
// order, and compares with the product of the matrices.
func (w *warpgroupCase) check(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(w.n), uint64(w.k)))
	a, b := make([]int, 64*w.k), make([]int, w.k*w.n)
	for i := range a {
		a[i] = smallNumber(w.a, r)
	}
	for i := range b {
		b[i] = smallNumber(w.b, r)
	}
	operand, columns := a, w.k // of a
	var metadata []uint32
	if w.sparse {
		columns /= 2
		operand, metadata = sparsify(w.a, a, w.k, w.selector, false, r)
	}
	imageA, leadingA, strideA := layFactor(w.a, 64, columns, w.span, w.transA, func(row, k int) uint64 { return encodeSmall(w.a, operand[row*columns+k]) })
	imageB, leadingB, strideB := layFactor(w.b, w.n, w.k, w.span, w.transB, func(column, k int) uint64 { return encodeSmall(w.b, b[k*w.n+column]) })
	const half = 64 << 10
	image := append(swizzleTable(imageA, w.span, 0), swizzleTable(imageB, w.span, half)...)
	words := make([]uint32, len(image)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(image[4*i:])
	}
	rows := make([]uint32, 128*4, 128*5) // registers of a, as in mma.sync; then the metadata
	perWord := 32 / bitsOf(w.a)
	for thread := range 128 {
		for i := range 4 {
			row := thread/32*16 + thread%32/4 + 8*(i%2)
			for p := range perWord {
				k := (thread%4+4*(i/2))*perWord + p
				rows[thread*4+i] |= uint32(encodeSmall(w.a, operand[row*columns+k])) << (p * bitsOf(w.a))
			}
		}
	}
	rows = append(rows, append(metadata, make([]uint32, 128-len(metadata))...)...)
	perD := 32 / max(bitsOf(w.d), 16)
	count := w.n / 2 / perD
	before := make([]uint32, 128*count)
	want := make([]uint32, 128*count)
	for thread := range 128 {
		for i := range count * perD {
			row := thread/32*16 + thread%32/4 + i/2%2*8
			column := i/4*8 + thread%4*2 + i%2
			start := r.IntN(9) - 4
			sum := 0
			for k := range w.k {
				sum += a[row*w.k+k] * b[k*w.n+column]
			}
			if w.d != "s32" {
				sum *= w.signA * w.signB
			}
			if w.keep {
				sum += start
			}
			at, shift := thread*count+i/perD, i%perD*16
			before[at] |= uint32(encodeSmall(w.d, start)) << shift
			want[at] |= uint32(encodeSmall(w.d, sum)) << shift
		}
	}
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", w.kernel(len(image), descriptorOf(0, leadingA, strideA, w.span), descriptorOf(half, leadingB, strideB, w.span)), "k")
	out, in, fragments := upload(t, d, "out", before), upload(t, d, "image", words), upload(t, d, "rows", rows)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: 128, Y: 1, Z: 1}, Arguments: pack(out, in, fragments)}); err != nil {
		t.Fatalf("%s: %v", w.name(), err)
	}
	for i, v := range download(t, d, out, len(want)) {
		if v != want[i] {
			t.Fatalf("%s: register %d of thread %d is %#x, want %#x", w.name(), i%count, i/count, v, want[i])
		}
	}
}

func TestWgmmaMultipliesInEveryTypeAndLayout(t *testing.T) {
	var cases []warpgroupCase
	for _, f := range []struct{ d, a, b string }{
		{"f16", "f16", "f16"}, {"f32", "f16", "f16"}, {"f32", "bf16", "bf16"}, {"f32", "tf32", "tf32"}, {"f16", "e4m3", "e5m2"}, {"f32", "e5m2", "e4m3"},
		{"s32", "s8", "u8"}, {"s32", "u8", "s8"}, {"s32", "b1", "b1"},
	} {
		base := warpgroupCase{d: f.d, a: f.a, b: f.b, k: 256 / bitsOf(f.a), signA: 1, signB: 1}
		if f.a == "b1" {
			base.more = ".and.popc"
		}
		for i, span := range []int{0, 32, 64, 128} {
			for j, registers := range []bool{false, true} {
				c := base
				c.span, c.registers, c.n = span, registers, []int{8, 64, 24, 256}[(i+j)%4]
				c.keep = (i+j)%2 == 0
				if f.d != "s32" {
					c.signA, c.signB = 1-2*(i%2), 1-2*j
				}
				cases = append(cases, c)
				if bitsOf(f.a) != 16 {
					continue
				}
				c.n = []int{64, 128, 192, 256}[i]
				c.transB = true
				cases = append(cases, c)
				c.transA = true
				cases = append(cases, c)
			}
		}
	}
	for _, c := range tracetest.DrawOfEach(t, cases, tracetest.Fewer(1, 2), func(c warpgroupCase) [2]string { return [2]string{c.d, c.a} }) {
		c.check(t)
	}
}

// Every n that the ISA lists is taken, no other one is.
func TestWgmmaHasTheShapesOfTheISA(t *testing.T) {
	for _, i := range tracetest.Seeds(t, 256/8, tracetest.Fewer(2, 5)) {
		n := 8 + 8*int(i)
		(&warpgroupCase{d: "f32", a: "f16", b: "f16", k: 16, n: n, span: 32, signA: 1, signB: 1}).check(t)
		if n == 8 || n == 24 || n%16 == 0 {
			(&warpgroupCase{d: "s32", a: "s8", b: "s8", k: 32, n: n, span: 32}).check(t)
		}
	}
}

// With .satfinite sums end at the limits of .s32, else they wrap around.
func TestWgmmaSaturates(t *testing.T) {
	for more, want := range map[string]uint32{"": 0x80000000 + 32*127*127 - 1, ".satfinite": 0x7fffffff} {
		d := NewDevice(Options{})
		w := warpgroupCase{d: "s32", a: "s8", b: "s8", k: 32, n: 8, more: more, keep: true}
		k := kernelOf(t, d, "k.ptx", w.kernel(4096, descriptorOf(0, 1024, 128, 0), descriptorOf(0, 128, 128, 0)), "k")
		image, before := make([]uint32, 1024), make([]uint32, 128*4)
		for i := range image {
			image[i] = 0x7f7f7f7f
		}
		for i := range before {
			before[i] = 0x7fffffff
		}
		out, in, rows := upload(t, d, "out", before), upload(t, d, "image", image), upload(t, d, "rows", make([]uint32, 640))
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(128, 1), Arguments: pack(out, in, rows)}); err != nil {
			t.Fatal(err)
		}
		if got := download(t, d, out, 1)[0]; got != want {
			t.Errorf("%q: %#x, want %#x", more, got, want)
		}
	}
}

// wgmmaMisuse runs a kernel whose threads multiply where %p1 holds.
func wgmmaMisuse(t *testing.T, threads uint32, condition, descriptor string) error {
	t.Helper()
	_, err := launchText(t, Options{}, `.entry k(.param .u64 out) {
	.shared .align 1024 .b8 tile[8192]; .reg .f32 %f<4>; .reg .b64 %a; .reg .b64 %b; .reg .b32 %r<4>; .reg .pred %p<4>;
	mov.u32 %r1, %tid.x; `+condition+` cvt.u64.u32 %a, 0; `+descriptor+`
	mov.b64 %b, 0;
	@!%p1 bra END;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a, %b, %p1, 1, 1, 0, 0;
END: ret;
}`, threads)
	return err
}

func TestWgmmaTakesWholeWarpgroups(t *testing.T) {
	all := "setp.lt.u32 %p1, %r1, 1024;"
	wantFault(t, wgmmaMisuse(t, 96, all, ""), coexecution.FaultPartialWarp, "fewer than four full warps")
	wantFault(t, wgmmaMisuse(t, 128, "setp.lt.u32 %p1, %r1, 96;", ""), coexecution.FaultPartialWarp, "only 3 of the four warps of warpgroup 0 executed this wgmma.mma_async; it was not executed by warp 3 (threads 96 to 127)")
	wantFault(t, wgmmaMisuse(t, 128, "setp.lt.u32 %p1, %r1, 90;", ""), coexecution.FaultPartialWarp, "")
	wantFault(t, wgmmaMisuse(t, 128, all, "cvt.u64.u32 %a, %r1;"), coexecution.FaultPartialWarp, "lanes have different matrix descriptors")
	wantFault(t, wgmmaMisuse(t, 128, all, "shr.u32 %r2, %r1, 5; cvt.u64.u32 %a, %r2;"), coexecution.FaultPartialWarp, "have different matrix descriptors")
	wantFault(t, wgmmaMisuse(t, 128, all, "mov.b64 %a, 0x3fff;"), coexecution.FaultOutOfBounds, "past the end of the thread block's shared memory")
}

// On numbers whose sums round, wgmma gives each warp what mma.sync gives it, to the
// bit: the rule of precision and order is one.
func TestWgmmaRoundsAsMmaDoes(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", `.version 8.0
.target sm_90a
.address_size 64
.entry k(.param .u64 out, .param .u64 in) {
	.shared .align 128 .b8 tile[256]; .reg .b64 %d<8>; .reg .b32 %r<16>; .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .f32 %f<4>; .reg .f32 %g<4>; .reg .f32 %c<4>; .reg .pred %p<4>;
	ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 32; add.u64 %d3, %d3, %d2;
	ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%d3]; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d3+16];
	setp.ge.u32 %p1, %r1, 64; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; cvt.u64.u32 %d4, %r2; add.u64 %d4, %d4, %d2;
	@!%p1 ld.global.b32 %r4, [%d4+4096]; @!%p1 st.shared.b32 [%r3], %r4;
	fence.proxy.async; bar.sync 0;
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%g0, %g1, %g2, %g3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%f0, %f1, %f2, %f3};
	and.b32 %r5, %r1, 31; shl.b32 %r5, %r5, 2; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5; ld.shared.b32 %b0, [%r6]; ld.shared.b32 %b1, [%r6+128];
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%g0, %g1, %g2, %g3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%f0, %f1, %f2, %f3};
	setp.eq.u32 %p2, 0, 0; mov.b64 %d5, `+fmt.Sprintf("0x%x", descriptorOf(0, 128, 128, 0))+`;
	mov.b32 %c0, %f0; mov.b32 %c1, %f1; mov.b32 %c2, %f2; mov.b32 %c3, %f3;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, %d5, %p2, 1, 1, 0;
	wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
	mul.wide.u32 %d6, %r1, 32; add.u64 %d6, %d6, %d1;
	st.global.v4.f32 [%d6], {%g0, %g1, %g2, %g3}; st.global.v4.f32 [%d6+16], {%c0, %c1, %c2, %c3};
	ret;
}
`, "k")
	r := rand.New(rand.NewPCG(9, 9))
	input := make([]uint32, 1024+64)
	for i := range input {
		if i < 1024 && i%8 >= 4 {
			input[i] = math.Float32bits(float32(r.NormFloat64()))
			continue
		}
		input[i] = uint32(halfBits(r.NormFloat64())) | uint32(halfBits(r.NormFloat64()*100))<<16
	}
	out, in := upload(t, d, "out", make([]uint32, 1024)), upload(t, d, "in", input)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(128, 1), Arguments: pack(out, in)}); err != nil {
		t.Fatal(err)
	}
	got, rounded := download(t, d, out, 1024), 0
	for i := range got {
		if i%8 >= 4 {
			continue
		}
		if got[i] != got[i+4] {
			t.Fatalf("thread %d: mma.sync %#x, wgmma %#x", i/8, got[i], got[i+4])
		}
		if got[i]&0xff != 0 {
			rounded++
		}
	}
	if rounded < 256 {
		t.Errorf("only %d of 512 sums have many digits", rounded)
	}
}
