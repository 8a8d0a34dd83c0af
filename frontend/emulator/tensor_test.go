// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// tensorBench is a device with a tensor in a buffer, and a kernel. The kernel copies
// one box of the tensor into shared memory, hands out what lies there, and copies it
// to a second tensor.
type tensorBench struct {
	layout      memory.TensorMap
	coordinates []int
	offsets     []int
	memory      []byte // of the tensor
	seen        []byte // of shared memory
	target      []byte // of the second tensor, which was 0xee
	fourRows    bool
}

// kernel of a box of the given bytes.
func (b *tensorBench) kernel(bytes int) string {
	dimensions := fmt.Sprintf("%dd", len(b.layout.Sizes))
	list := func(name string, n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%s%d", name, i))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	mode, store, offsets := ".tile", ".tile", ""
	if b.layout.Im2col != nil {
		mode, store, offsets = ".im2col", ".im2col_no_offs", ", "+list("%h", len(b.layout.Sizes)-2)
	}
	if b.fourRows {
		mode, store = ".tile::gather4", ".tile::scatter4"
	}
	var moves strings.Builder
	for i, c := range b.coordinates {
		fmt.Fprintf(&moves, "mov.b32 %%c%d, %d; ", i, c)
	}
	for i, o := range b.offsets {
		fmt.Fprintf(&moves, "mov.b16 %%h%d, %d; ", i, o)
	}
	return fmt.Sprintf(`.version 8.6
.target sm_100a
.address_size 64
.entry k(.param .u64 out, .param .align 64 .b8 from[128], .param .align 64 .b8 to[128]) {
	.shared .align 1024 .b8 tile[%[1]d]; .shared .align 8 .b64 bar;
	.reg .b64 %%d<8>; .reg .b32 %%c<5>; .reg .b16 %%h<4>; .reg .b32 %%r<8>; .reg .pred %%p<4>;
	ld.param.u64 %%d1, [out]; mov.b64 %%d2, from; cvta.param.u64 %%d2, %%d2; mov.b64 %%d3, to; cvta.param.u64 %%d3, %%d3;
	mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; prefetch.tensormap [%%d2];
	%[2]s
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], %[3]d;
	cp.async.bulk.prefetch.tensor.%[4]s.L2.global%[5]s [%%d2, %[6]s]%[7]s;
	cp.async.bulk.tensor.%[4]s.shared::cluster.global%[5]s.mbarrier::complete_tx::bytes [tile], [%%d2, %[6]s], [bar]%[7]s;
W: mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0; @!%%p1 bra W;
	fence.proxy.async;
	cp.async.bulk.tensor.%[4]s.global.shared::cta%[8]s.bulk_group [%%d3, %[6]s], [tile];
	cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
	mov.u32 %%r1, 0; mov.u32 %%r2, tile;
OUT: add.u32 %%r3, %%r2, %%r1; ld.shared.b32 %%r4, [%%r3]; cvt.u64.u32 %%d4, %%r1; add.u64 %%d4, %%d4, %%d1; st.global.b32 [%%d4], %%r4;
	add.u32 %%r1, %%r1, 4; setp.lt.u32 %%p2, %%r1, %[1]d; @%%p2 bra OUT;
	ret;
}
`, memory.AlignUp(uint64(bytes), 128), moves.String(), bytes, dimensions, mode, list("%c", len(b.coordinates)), offsets, store)
}

// run fills memory with distinct bytes and runs the kernel.
func (b *tensorBench) run(t *testing.T, bytes int) error {
	t.Helper()
	extent := uint64(b.layout.Element.Type.Bytes()) * b.layout.Sizes[0]
	for i, s := range b.layout.Strides {
		extent = max(extent, s*b.layout.Sizes[i+1])
	}
	d := NewDevice(Options{MaxInstructions: 1 << 22})
	buffer := func(name string, fill func(i int) byte) (uint64, []byte) {
		content := make([]byte, extent)
		for i := range content {
			content[i] = fill(i)
		}
		at, err := d.Allocate(name, extent)
		if err == nil {
			err = d.Write(at, content)
		}
		if err != nil {
			t.Fatal(err)
		}
		return at, content
	}
	from, content := buffer("tensor", func(i int) byte { return byte(i*7 + i>>8*3 + i>>16) })
	to, _ := buffer("target", func(int) byte { return 0xee })
	size := memory.AlignUp(uint64(bytes), 128)
	out, err := d.Allocate("out", size)
	if err != nil {
		t.Fatal(err)
	}
	arguments := make([]byte, 64, 320)
	binary.LittleEndian.PutUint64(arguments, out)
	for _, at := range []uint64{from, to} {
		b.layout.Address = at
		encoded, err := b.layout.Encode()
		if err != nil {
			return err
		}
		arguments = append(arguments, encoded...)
	}
	k := kernelOf(t, d, "k.ptx", b.kernel(bytes), "k")
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: 1, Y: 1, Z: 1}, Arguments: arguments}); err != nil {
		return err
	}
	b.memory, b.seen, b.target = content, make([]byte, size), make([]byte, extent)
	if err := d.Read(out, b.seen); err != nil {
		t.Fatal(err)
	}
	if err := d.Read(to, b.target); err != nil {
		t.Fatal(err)
	}
	return nil
}

// check compares what was seen with the elements of the box, given by their
// positions in the tensor in the order in which the box has them, innermost first.
// Those beyond the tensor are filled. The second tensor has the elements of the box
// that lie in it, where stored says so, and nothing else.
func (b *tensorBench) check(t *testing.T, positions, stored [][]int) {
	t.Helper()
	width := b.layout.Element.Type.Bytes()
	place := func(p []int) int {
		at := p[0] * width
		for d, x := range p {
			if x < 0 || x >= int(b.layout.Sizes[d]) {
				return -1
			}
			if d > 0 {
				at += x * int(b.layout.Strides[d-1])
			}
		}
		return at
	}
	box := make([]byte, len(b.seen))
	for i, p := range positions {
		element := box[i*width : (i+1)*width]
		if at := place(p); at >= 0 {
			copy(element, loadedElement(b.layout.Element, b.memory[at:at+width]))
		} else if b.layout.FillNaN {
			v := fillOf(b.layout.Element)
			for j := range element {
				element[j] = byte(v >> (8 * j))
			}
		}
	}
	box = swizzleTable(box, b.layout.Swizzle, 0)
	for i := range len(positions) * width {
		at := i
		if b.layout.Swizzle == 0 && at < len(box) && b.seen[at] != box[at] || b.layout.Swizzle != 0 && b.seen[at] != box[at] {
			t.Fatalf("%+v at %v+%v: byte %d of shared memory is %#x, want %#x", b.layout, b.coordinates, b.offsets, at, b.seen[at], box[at])
		}
	}
	want := make([]byte, len(b.target))
	for i := range want {
		want[i] = 0xee
	}
	for i, p := range stored {
		if to := place(p); to >= 0 {
			for j := range width { // what the box had at this place, from wherever
				v := byte(0)
				if from := place(positions[i]); from >= 0 {
					v = loadedElement(b.layout.Element, b.memory[from:from+width])[j]
				} else if b.layout.FillNaN {
					v = byte(fillOf(b.layout.Element) >> (8 * j))
				}
				want[to+j] = v
			}
		}
	}
	for i := range want {
		if b.target[i] != want[i] {
			t.Fatalf("%+v at %v: byte %d of the target is %#x, want %#x", b.layout, b.coordinates, i, b.target[i], want[i])
		}
	}
}

// tensorElements are all element types.
func tensorElements() (list []memory.TensorElement) {
	for {
		e, ok := memory.TensorElementOf(uint64(len(list)))
		if !ok {
			return list
		}
		list = append(list, e)
	}
}

// fillOf is the NaN of an element's type. One of .tf32 lies in memory as .f32.
func fillOf(e memory.TensorElement) uint64 {
	if e.Type == ptx.TF32 {
		e.Type = ptx.F32
	}
	return formats[e.Type.String()].canonicalNaN()
}

// loadedElement is an element as a load by a map of its type brings it, by arithmetic on numbers: to
// the nearest of 11 bits, halves to even, and not below the step of subnormal numbers.
func loadedElement(e memory.TensorElement, element []byte) []byte {
	bits := binary.LittleEndian.Uint32(append(slices.Clone(element), 0, 0, 0, 0))
	v := float64(math.Float32frombits(bits))
	if !e.Converts() || math.IsNaN(v) || math.IsInf(v, 0) {
		return element
	}
	if e.Flush && math.Abs(v) < 0x1p-126 {
		v = math.Copysign(0, v)
	}
	if e.Type == ptx.TF32 {
		_, exponent := math.Frexp(v)
		step := math.Ldexp(1, max(exponent, -125)-11)
		v = math.RoundToEven(v/step) * step
	}
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
}

// randomTensor draws a tensor with sides from low to high, and strides with gaps.
func randomTensor(r *rand.Rand, rank, low, high int) memory.TensorMap {
	all := tensorElements()
	m := memory.TensorMap{Element: all[r.IntN(len(all))]}
	bytes := uint64(m.Element.Type.Bytes())
	for d := range rank {
		n := uint64(low + r.IntN(high-low+1))
		m.Sizes = append(m.Sizes, n)
		m.ElementStrides = append(m.ElementStrides, 1)
		bytes = memory.AlignUp(bytes*n, 16)
		if d < rank-1 {
			if r.IntN(2) == 0 {
				bytes += 16
			}
			m.Strides = append(m.Strides, bytes)
		}
		if d == 0 {
			continue
		}
		bytes = m.Strides[d-1] * n
	}
	// Strides are of whole rows, planes and so on.
	bytes = memory.AlignUp(uint64(m.Element.Type.Bytes())*m.Sizes[0], 16)
	for d := range m.Strides {
		if d > 0 {
			bytes *= m.Sizes[d]
		}
		bytes += uint64(16 * r.IntN(2))
		m.Strides[d] = bytes
	}
	m.FillNaN = m.Element.Type.Float() && r.IntN(2) == 0
	return m
}

// Random tensors and boxes that lie inside, across edges, and outside.
func TestTensorCopiesMoveBoxesInEverySwizzle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for i := range 120 {
		b := tensorBench{layout: randomTensor(r, 1+i%5, 3, 20)}
		m := &b.layout
		width := m.Element.Type.Bytes()
		m.Swizzle = []int{0, 32, 64, 128}[r.IntN(4)]
		inner := 1 + r.IntN(8)
		if m.Swizzle != 0 {
			inner = 1 + r.IntN(m.Swizzle/16)
		}
		m.Box = []uint32{uint32(inner * 16 / width)}
		count := inner * 16 / width
		for d := range m.Sizes {
			if d > 0 {
				m.ElementStrides[d] = uint32(1 + r.IntN(3))
				m.Box = append(m.Box, uint32(1+r.IntN(6)))
				count *= (int(m.Box[d]) + int(m.ElementStrides[d]) - 1) / int(m.ElementStrides[d])
			}
			b.coordinates = append(b.coordinates, r.IntN(int(m.Sizes[d])+8)-4)
		}
		var positions [][]int
		for n := range count {
			p := make([]int, len(m.Sizes))
			for d := range p {
				side := (int(m.Box[d]) + int(m.ElementStrides[d]) - 1) / int(m.ElementStrides[d])
				p[d] = b.coordinates[d] + n%side*int(m.ElementStrides[d])
				n /= side
			}
			positions = append(positions, p)
		}
		if err := b.run(t, count*width); err != nil {
			t.Fatalf("%+v at %v: %v", b.layout, b.coordinates, err)
		}
		b.check(t, positions, positions)
	}
}

// gather4 takes four rows, wherever they are, and scatter4 puts them back (5.5.3.4). Rows
// outside of the tensor are filled, and are not written.
func TestTensorCopiesGatherAndScatterFourRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 40 {
		b := tensorBench{layout: randomTensor(r, 2, 5, 40), fourRows: true}
		m := &b.layout
		m.Swizzle = []int{0, 32, 64, 128}[r.IntN(4)]
		pieces := 1 + r.IntN(8)
		if m.Swizzle != 0 {
			pieces = 1 + r.IntN(m.Swizzle/16)
		}
		m.Box = []uint32{uint32(pieces * 16 / m.Element.Type.Bytes()), 1}
		rows := r.Perm(int(m.Sizes[1]) + 4)[:4] // all different, so that the order of stores does not matter
		b.coordinates = []int{r.IntN(int(m.Sizes[0])+6) - 3, rows[0] - 2, rows[1] - 2, rows[2] - 2, rows[3] - 2}
		var positions [][]int
		for _, row := range b.coordinates[1:] {
			for x := range int(m.Box[0]) {
				positions = append(positions, []int{b.coordinates[0] + x, row})
			}
		}
		if err := b.run(t, len(positions)*m.Element.Type.Bytes()); err != nil {
			t.Fatalf("%+v at %v: %v", b.layout, b.coordinates, err)
		}
		b.check(t, positions, positions)
	}
}

// In im2col mode the pixels are those of all bounding boxes, image after image, from
// the coordinates on (5.5.4).
func TestTensorCopiesUnrollPixels(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for i := range 60 {
		rank := 3 + i%3
		b := tensorBench{layout: randomTensor(r, rank, 4, 7)}
		m := &b.layout
		m.Swizzle = []int{0, 32, 64, 128}[r.IntN(4)]
		m.Im2col = &memory.Im2col{Channels: uint32(16 * (1 + r.IntN(2)) / m.Element.Type.Bytes()), Pixels: uint32(1 + r.IntN(40))}
		var walk [][]int // spatial positions of a bounding box, the innermost first
		walk = append(walk, nil)
		for d := 1; d < rank-1; d++ {
			low, high := -r.IntN(3), -r.IntN(3)
			m.ElementStrides[d] = uint32(1 + r.IntN(2))
			m.Im2col.Lower, m.Im2col.Upper = append(m.Im2col.Lower, low), append(m.Im2col.Upper, high)
			b.offsets = append(b.offsets, r.IntN(4))
			var longer [][]int
			for x := low; x <= int(m.Sizes[d])-1+high; x += int(m.ElementStrides[d]) {
				for _, p := range walk {
					longer = append(longer, append(p[:len(p):len(p)], x))
				}
			}
			walk = longer
		}
		first, channel, image := r.IntN(len(walk)), r.IntN(3), r.IntN(int(m.Sizes[rank-1]))
		b.coordinates = append(append([]int{channel}, walk[first]...), image)
		var positions, stored [][]int
		for n := range int(m.Im2col.Pixels) {
			at := first + n
			for c := range int(m.Im2col.Channels) {
				p, s := []int{channel + c}, []int{channel + c}
				for d, x := range walk[at%len(walk)] {
					p, s = append(p, x+b.offsets[d]), append(s, x)
				}
				positions, stored = append(positions, append(p, image+at/len(walk))), append(stored, append(s, image+at/len(walk)))
			}
		}
		if err := b.run(t, len(positions)*m.Element.Type.Bytes()); err != nil {
			t.Fatalf("%+v at %v: %v", b.layout, b.coordinates, err)
		}
		b.check(t, positions, stored)
	}
}

// A kernel makes a map of its own from a copy of a good one, field by field.
// A stride is its bytes from PTX 8.5 on, and counts 16 bytes before.
func TestTensormapReplaceChangesFields(t *testing.T) {
	for version, stride := range map[string]int{"8.6": 32, "8.5": 32, "8.4": 2, "8.3": 2} {
		t.Run(version, func(t *testing.T) { replacedFields(t, version, stride) })
	}
}

func replacedFields(t *testing.T, version string, stride int) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", fmt.Sprintf(`.version %s
.target sm_90a
.address_size 64
.entry k(.param .u64 out, .param .u64 in, .param .u64 space, .param .align 64 .b8 from[128]) {
	.shared .align 128 .b8 tile[128]; .shared .align 128 .b8 map[128]; .shared .align 8 .b64 bar;
	.reg .b64 %%d<8>; .reg .b32 %%r<8>; .reg .pred %%p<4>;
	ld.param.u64 %%d1, [out]; ld.param.u64 %%d2, [in]; ld.param.u64 %%d3, [space];
	mov.u32 %%r1, %%laneid; shl.b32 %%r2, %%r1, 2; mov.u32 %%r3, map; add.u32 %%r3, %%r3, %%r2;
	mov.b64 %%d4, from; cvt.u64.u32 %%d5, %%r2; add.u64 %%d4, %%d4, %%d5; cvta.param.u64 %%d4, %%d4; ld.b32 %%r4, [%%d4]; st.shared.b32 [%%r3], %%r4;
	bar.warp.sync -1; setp.eq.u32 %%p1, %%r1, 0;
	@%%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %%d2;
	@%%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;
	@%%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 0, 8;
	@%%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, 4;
	@%%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], 0, %d;
	@%%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, 4;
	@%%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 1, 2;
	@%%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [map], 1, 1;
	@%%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 2;
	@%%p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [map], 0;
	@%%p1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [map], 0;
	bar.warp.sync -1;
	tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%d3], [map], 128;
	fence.proxy.tensormap::generic.acquire.gpu [%%d3], 128;
	@!%%p1 bra END;
	mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
	mov.u32 %%r5, 2; mov.u32 %%r6, 3;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%%d3, {%%r5, %%r6}], [bar];
W: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0; @!%%p2 bra W;
	cp.async.bulk.global.shared::cta.bulk_group [%%d1], [tile], 32;
END: ret;
}
`, version, stride), "k")
	input := make([]uint32, 32)
	for i := range input {
		input[i] = uint32(100 + i)
	}
	out, in, space := upload(t, d, "out", make([]uint32, 8)), upload(t, d, "in", input), upload(t, d, "space", make([]uint32, 32))
	m := memory.TensorMap{Element: memory.TensorElement{Type: ptx.F64}, Address: 1 << 20, Sizes: []uint64{5}, Box: []uint32{2}, ElementStrides: []uint32{1}}
	encoded, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	arguments := append(append(pack(out, in, space), make([]byte, 40)...), encoded...)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: arguments}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(download(t, d, out, 8)); got != "[126 127 128 129 0 0 0 0]" {
		t.Errorf("%v: row 3 from element 2, and one beyond the tensor", got)
	}
}

// tensorMisuse runs one copy with a map of 2 dimensions in place of %map.
func tensorMisuse(t *testing.T, change func(m []byte), copy string) error {
	t.Helper()
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", `.version 8.6
.target sm_90a
.address_size 64
.entry k(.param .u64 in, .param .align 64 .b8 from[128]) {
	.shared .align 128 .b8 tile[512]; .shared .align 8 .b64 bar; .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .b16 %h;
	ld.param.u64 %d2, [in]; mov.b64 %d1, from; cvta.param.u64 %d1, %d1; mbarrier.init.shared.b64 [bar], 1;
	`+copy+`
	ret;
}
`, "k")
	in := upload(t, d, "in", make([]uint32, 64))
	m := memory.TensorMap{Element: memory.TensorElement{Type: ptx.F32}, Address: in, Sizes: []uint64{16, 4}, Strides: []uint64{64}, Box: []uint32{4, 4}, ElementStrides: []uint32{1, 1}}
	encoded, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	change(encoded)
	arguments := append(append(pack(in), make([]byte, 56)...), encoded...)
	_, err = d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: arguments})
	return err
}

func TestTensorCopiesAreChecked(t *testing.T) {
	load := func(dimension, to, from string) string {
		return "cp.async.bulk.tensor." + dimension + ".shared::cluster.global.mbarrier::complete_tx::bytes [" + to + "], [" + from + "], [bar];"
	}
	same := func([]byte) {}
	plain := load("2d", "tile", "%d1, {%r1, %r2}")
	for _, c := range []struct {
		change func([]byte)
		copy   string
		kind   coexecution.FaultKind
		detail string
	}{
		{same, load("3d", "tile", "%d1, {%r1, %r2, %r3}"), coexecution.FaultTexture, "3 coordinates in a tensor of 2 dimensions"},
		{same, load("2d", "tile+64", "%d1, {%r1, %r2}"), coexecution.FaultMisaligned, "a multiple of 128"},
		{same, load("2d", "tile+512", "%d1, {%r1, %r2}"), coexecution.FaultOutOfBounds, "past the end of the thread block's shared memory"},
		{same, load("2d", "tile", "%d2, {%r1, %r2}"), coexecution.FaultTexture, "no tensor map lies there"},
		{func(b []byte) { b[memory.MapSizes+4] = 200 }, "mov.b32 %r2, 100; " + plain, coexecution.FaultOutOfBounds, "past the end of buffer in"},
		{func(b []byte) { b[memory.MapBox] = 3 }, plain, coexecution.FaultTexture, "no multiple of 16"},
		{func(b []byte) { b[memory.MapElement] = 13 }, plain, coexecution.FaultTexture, "not supported"},
		{func(b []byte) { b[memory.MapInterleave] = 1 }, plain, coexecution.FaultTexture, "interleaved layouts"},
		{same, "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%d1, {%r1, %r2, %r2, %r2, %r2}], [bar];", coexecution.FaultTexture, "a box of one row"},
		{same, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.tile.bulk_group [%d1, {%r1, %r2}], [tile];", coexecution.FaultTexture, "elements of .f32 have no such reduction"},
		{func(b []byte) { b[memory.MapElement] = 11 }, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r1, %r2}], [tile];", coexecution.FaultTexture, "elements of .tf32 have no such reduction"},
		{func(b []byte) { b[memory.MapElement] = 8 }, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r1, %r2}], [tile];", coexecution.FaultTexture, "elements of .f32.ftz have no such reduction"},
		{same, "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [tile], [%d1, {%r1, %r2, %r3}], [bar], {%h};", coexecution.FaultTexture, "3 coordinates"},
	} {
		err := tensorMisuse(t, c.change, c.copy)
		if err == nil {
			t.Errorf("%s: no fault", c.copy)
			continue
		}
		wantFault(t, err, c.kind, c.detail)
	}
	if err := tensorMisuse(t, same, plain); err != nil {
		t.Error(err)
	}
}

// A reduction adds a box to the tensor element by element.
func TestTensorReductionsCombineElements(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", `.version 8.6
.target sm_90a
.address_size 64
.entry k(.param .u64 unused, .param .align 64 .b8 from[128]) {
	.shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar; .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .pred %p<4>;
	mov.b64 %d1, from; cvta.param.u64 %d1, %d1; mbarrier.init.shared.b64 [bar], 1;
	mov.u32 %r1, 2; mov.u32 %r2, 1; mov.u32 %r3, 4; mov.u32 %r4, 0;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1, {%r1, %r2}], [bar];
	cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r3, %r4}], [tile];
	ret;
}
`, "k")
	input := make([]uint32, 8*4)
	for i := range input {
		input[i] = uint32(i)
	}
	in := upload(t, d, "in", input)
	m := memory.TensorMap{Element: memory.TensorElement{Type: ptx.S32}, Address: in, Sizes: []uint64{6, 4}, Strides: []uint64{32}, Box: []uint32{4, 2}, ElementStrides: []uint32{1, 1}}
	encoded, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: append(append(pack(in), make([]byte, 56)...), encoded...)}); err != nil {
		t.Fatal(err)
	}
	for i, v := range download(t, d, in, 32) {
		want := input[i]
		if x, y := i%8, i/8; y < 2 && (x == 4 || x == 5) { // the rest lies beyond the tensor
			want += input[8*(y+1)+x-2]
		}
		if v != want {
			t.Errorf("element %d is %d, want %d", i, v, want)
		}
	}
}
