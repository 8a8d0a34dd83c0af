// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace/tracetest"
)

// matrixCase is one multiplication by wmma: d = a*b + c, all in memory.
type matrixCase struct {
	m, n, k        int
	factor, c, d   string // types
	la, lb, lc, ld string // layouts
	saturate       bool
	operation      string // of single bits: ".xor" or ".and"
}

func (w *matrixCase) String() string {
	return fmt.Sprintf("m%dn%dk%d %s %s->%s %s.%s %s->%s", w.m, w.n, w.k, w.factor, w.c, w.d, w.la, w.lb, w.lc, w.ld)
}

var typeBits = map[string]int{"f16": 16, "f32": 32, "f64": 64, "s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}

// registersOf counts a fragment's registers as the table of PTX ISA 9.7.14.4.1
// does.
func registersOf(rows, columns int, typ string, factor bool) int {
	if factor && typ == "f16" {
		return 8
	}
	return rows * columns * typeBits[typ] / max(32, typeBits[typ]) / 32
}

// storage places a matrix in memory: lines of a stride that is longer than a
// line by what keeps them aligned.
type storage struct {
	rows, columns int
	typ, layout   string
	offset        int // bytes
}

func (s *storage) stride() int {
	length := s.columns
	if s.layout == "col" {
		length = s.rows
	}
	return length + 128/typeBits[s.typ]
}

func (s *storage) bytes() int {
	lines := s.rows
	if s.layout == "col" {
		lines = s.columns
	}
	return lines * s.stride() * typeBits[s.typ] / 8
}

// at is the bit at which an element begins.
func (s *storage) at(row, column int) int {
	if s.layout == "col" {
		row, column = column, row
	}
	return 8*s.offset + (row*s.stride()+column)*typeBits[s.typ]
}

func (w *matrixCase) storages() (a, b, c, d storage) {
	a = storage{w.m, w.k, w.factor, w.la, 0}
	b = storage{w.k, w.n, w.factor, w.lb, a.bytes()}
	c = storage{w.m, w.n, w.c, w.lc, b.offset + b.bytes()}
	d = storage{w.m, w.n, w.d, w.ld, c.offset + c.bytes()}
	return a, b, c, d
}

// fragmentText names n registers.
func fragmentText(prefix string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%%%s%d", prefix, i)
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// kernel writes the multiplication over one buffer.
func (w *matrixCase) kernel() string {
	a, b, c, d := w.storages()
	shape := fmt.Sprintf("m%dn%dk%d", w.m, w.n, w.k)
	var t strings.Builder
	bits := max(32, typeBits[w.factor])
	fmt.Fprintf(&t, ".visible .entry kernel(.param .u64 memory) {\n.reg .b%[1]d %%a<8>; .reg .b%[1]d %%b<8>; .reg .b%[1]d %%c<8>; .reg .b%[1]d %%d<8>; .reg .b64 %%p;\nld.param.u64 %%p, [memory];\n", bits)
	load := func(name string, s *storage, factor bool) {
		fmt.Fprintf(&t, "wmma.load.%s.sync.aligned.%s.%s.global.%s %s, [%%p+%d], %d;\n", name, s.layout, shape, s.typ,
			fragmentText(name, registersOf(s.rows, s.columns, s.typ, factor)), s.offset, s.stride())
	}
	load("a", &a, true)
	load("b", &b, true)
	load("c", &c, false)
	types := w.d + "." + w.c
	if w.factor != "f16" {
		types = w.d + "." + w.factor + "." + w.factor + "." + w.c
	}
	if w.saturate {
		types += ".satfinite"
	}
	fragments := []string{fragmentText("d", registersOf(w.m, w.n, w.d, false)), fragmentText("a", registersOf(w.m, w.k, w.factor, true)),
		fragmentText("b", registersOf(w.k, w.n, w.factor, true)), fragmentText("c", registersOf(w.m, w.n, w.c, false))}
	operation := w.operation
	if operation != "" {
		operation += ".popc"
	}
	fmt.Fprintf(&t, "wmma.mma%s.sync.aligned.%s.%s.%s.%s %s;\n", operation, w.la, w.lb, shape, types, strings.Join(fragments, ", "))
	fmt.Fprintf(&t, "wmma.store.d.sync.aligned.%s.%s.global.%s [%%p+%d], %s, %d;\nret;\n}\n", d.layout, shape, w.d, d.offset, fragments[0], d.stride())
	return t.String()
}

// element writes or reads a value of a matrix in memory.
func (s *storage) put(memory []byte, row, column int, v float64) {
	bit := s.at(row, column)
	at := bit / 8
	switch s.typ {
	case "f64":
		lanes.StoreRaw(memory[at:], 8, math.Float64bits(v))
	case "s4", "u4", "b1":
		mask := byte(1<<typeBits[s.typ]-1) << (bit % 8)
		memory[at] = memory[at]&^mask | byte(int8(v))<<(bit%8)&mask
	case "f16":
		lanes.StoreRaw(memory[at:], 2, lanes.Half.Encode(v, lanes.Nearest))
	case "f32":
		lanes.StoreRaw(memory[at:], 4, uint64(math.Float32bits(float32(v))))
	default:
		lanes.StoreRaw(memory[at:], typeBits[s.typ]/8, uint64(int64(v)))
	}
}

func (s *storage) get(memory []byte, row, column int) float64 {
	bit, width := s.at(row, column), typeBits[s.typ]
	raw := lanes.LoadRaw(memory[bit/8:], max(1, width/8)) >> (bit % 8)
	switch s.typ {
	case "f64":
		return math.Float64frombits(raw)
	case "u4", "b1":
		return float64(raw & (1<<width - 1))
	case "f16":
		return lanes.Half.Decode(raw)
	case "f32":
		return float64(math.Float32frombits(uint32(raw)))
	case "u8":
		return float64(raw)
	}
	return float64(int64(raw<<(64-width)) >> (64 - width))
}

// floatSum is the documented order of the sum in arbitrary precision: the
// exact product is added, then the sum rounded to the 24 bits of .f32.
func floatSum(c float64, a, b []float64, result string) float64 {
	sum := big.NewFloat(c)
	for i := range a {
		product := new(big.Float).SetPrec(200).Mul(big.NewFloat(a[i]), big.NewFloat(b[i]))
		sum = new(big.Float).SetPrec(24).Add(product, sum)
	}
	if result == "f16" {
		sum = new(big.Float).SetPrec(11).Set(sum)
	}
	v, _ := sum.Float64()
	return v
}

// bitSum counts the ones of a row of a and a column of b combined.
func bitSum(c float64, a, b []float64, operation string) float64 {
	for i := range a {
		switch {
		case operation == ".xor" && a[i] != b[i], operation == ".and" && a[i]+b[i] == 2:
			c++
		}
	}
	return float64(int32(int64(c))) // wraps around
}

func integerSum(c float64, a, b []float64, saturate bool) float64 {
	sum := big.NewInt(int64(c))
	for i := range a {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(a[i])), big.NewInt(int64(b[i]))))
	}
	if !saturate {
		return float64(int32(sum.Int64()))
	}
	return max(math.MinInt32, min(math.MaxInt32, float64(sum.Int64())))
}

// inputs give varied elements of a type; accumulators of integers lie near
// their limits.
func matrixInput(typ string, accumulator bool, i int) float64 {
	h := uint64(i+1) * 0x9E3779B97F4A7C15 >> 40
	switch {
	case typ[0] == 'f':
		return float64(int(h%2001)-1000) / 256
	case typ == "u8":
		return float64(h % 256)
	case typ == "s8":
		return float64(int(h%256) - 128)
	case typ == "b1":
		return float64(h % 2)
	case typ == "s4":
		return float64(int(h%16) - 8)
	case typ == "u4":
		return float64(h % 16)
	case accumulator && h%3 == 0:
		return math.MaxInt32 - float64(h%1000)
	case accumulator && h%3 == 1:
		return math.MinInt32 + float64(h%1000)
	}
	return float64(h % 5000)
}

func (w *matrixCase) check(t *testing.T) {
	t.Helper()
	a, b, c, d := w.storages()
	memory := make([]byte, d.offset+d.bytes())
	n := 0
	for _, s := range []*storage{&a, &b, &c} {
		for row := range s.rows {
			for column := range s.columns {
				s.put(memory, row, column, matrixInput(s.typ, s == &c, n))
				n++
			}
		}
	}
	device := NewDevice(Options{})
	k := kernelOf(t, device, "wmma.ptx", ptxHeader+w.kernel(), "kernel")
	address, err := device.Allocate("memory", uint64(len(memory)))
	if err != nil {
		t.Fatal(err)
	}
	if err := device.Write(address, memory); err != nil {
		t.Fatal(err)
	}
	if _, err := device.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(address)}); err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	if err := device.Read(address, memory); err != nil {
		t.Fatal(err)
	}
	for row := range w.m {
		for column := range w.n {
			var x, y []float64
			for p := range w.k {
				x, y = append(x, a.get(memory, row, p)), append(y, b.get(memory, p, column))
			}
			want := floatSum(c.get(memory, row, column), x, y, w.d)
			switch {
			case w.factor == "f64": // the sums are exact
				want = c.get(memory, row, column)
				for p := range x {
					want += x[p] * y[p]
				}
			case w.operation != "":
				want = bitSum(c.get(memory, row, column), x, y, w.operation)
			case w.factor != "f16":
				want = integerSum(c.get(memory, row, column), x, y, w.saturate)
			}
			if got := d.get(memory, row, column); got != want {
				t.Fatalf("%v: element (%d,%d) is %v, want %v", w, row, column, got, want)
			}
		}
	}
}

func TestWmmaMultipliesInEveryShapeLayoutAndType(t *testing.T) {
	layouts, list := []string{"row", "col"}, []matrixCase(nil)
	for _, shape := range [][3]int{{16, 16, 16}, {8, 32, 16}, {32, 8, 16}} {
		for i := range 16 {
			w := matrixCase{m: shape[0], n: shape[1], k: shape[2], factor: "f16",
				la: layouts[i&1], lb: layouts[i>>1&1], lc: layouts[i>>2&1], ld: layouts[i>>3&1]}
			for _, w.c = range []string{"f16", "f32"} {
				for _, w.d = range []string{"f16", "f32"} {
					list = append(list, w)
				}
			}
			w.c, w.d = "s32", "s32"
			for _, w.factor = range []string{"s8", "u8"} {
				for _, w.saturate = range []bool{false, true} {
					list = append(list, w)
				}
			}
		}
	}
	for _, w := range tracetest.Draw(t, list, len(list)/tracetest.Fewer(20, 8)) {
		w.check(t)
	}
}

// Nibbles and single bits lie along k: rows of a, columns of b.
func TestWmmaMultipliesNibblesBitsAndDoubles(t *testing.T) {
	layouts := []string{"row", "col"}
	for i := range 16 {
		w := matrixCase{m: 8, n: 8, k: 4, factor: "f64", c: "f64", d: "f64", la: layouts[i&1], lb: layouts[i>>1&1], lc: layouts[i>>2&1], ld: layouts[i>>3&1]}
		w.check(t)
		w.c, w.d, w.la, w.lb = "s32", "s32", "row", "col"
		for _, w.factor = range []string{"s4", "u4"} {
			for _, w.saturate = range []bool{false, true} {
				w.k = 32
				w.check(t)
			}
		}
		w.factor, w.k, w.saturate = "b1", 128, false
		for _, w.operation = range []string{".xor", ".and"} {
			w.check(t)
		}
	}
}

// The fragments of mma.sync are laid out as the figures of PTX ISA 9.7.14.5
// say: each lane computes the row and column of its own elements.
func TestMmaFragmentsAreThoseOfTheISA(t *testing.T) {
	for _, k := range []int{8, 16} {
		for _, result := range []string{"f16", "f32"} {
			checkMma(t, k, result)
		}
	}
}

func checkMma(t *testing.T, k int, result string) {
	t.Helper()
	entry := func(matrix, row, column int) float64 {
		return matrixInput("f16", false, matrix*1000+row*32+column)
	}
	word := func(lane int, position func(lane, i int) (row, column int), matrix, r int) uint32 {
		low, high := halfOf(entry, matrix, position, lane, 2*r), halfOf(entry, matrix, position, lane, 2*r+1)
		return low | high<<16
	}
	inA := func(lane, i int) (int, int) {
		row, column := lane/4, lane%4*2+i&1
		if i == 2 || i == 3 || i == 6 || i == 7 {
			row += 8
		}
		if i >= 4 {
			column += 8
		}
		return row, column
	}
	inB := func(lane, i int) (int, int) {
		row := lane%4*2 + i&1
		if i >= 2 {
			row += 8
		}
		return row, lane / 4
	}
	inC := func(lane, i int) (int, int) {
		row := lane / 4
		if i >= 2 {
			row += 8
		}
		return row, lane%4*2 + i&1
	}
	registersA, registersB, registersC := k/4, k/8, 2
	if result == "f32" {
		registersC = 4
	}
	each := registersA + registersB + registersC
	s := script{words: 32 * registersC, input: make([]uint32, 32*each)}
	for lane := range 32 {
		in := s.input[lane*each:]
		for r := range registersA {
			in[r] = word(lane, inA, 0, r)
		}
		for r := range registersB {
			in[registersA+r] = word(lane, inB, 1, r)
		}
		for r := range registersC {
			if in[registersA+registersB+r] = word(lane, inC, 2, r); result == "f32" {
				row, column := inC(lane, r)
				in[registersA+registersB+r] = math.Float32bits(float32(entry(2, row, column)))
			}
		}
	}
	s.body = mmaBody(k, result, registersA, registersB, registersC)
	words := s.run(t)
	for lane := range 32 {
		for i := range 4 {
			row, column := inC(lane, i)
			var a, b []float64
			for p := range k {
				a, b = append(a, entry(0, row, p)), append(b, entry(1, p, column))
			}
			want := floatSum(entry(2, row, column), a, b, result)
			got := float64(math.Float32frombits(words[lane*registersC+i*registersC/4]))
			if result == "f16" {
				got = lanes.Half.Decode(uint64(words[lane*2+i/2] >> (16 * (i % 2)) & 0xffff))
			}
			if got != want {
				t.Fatalf("k=%d %s: element %d of lane %d is %v, want %v", k, result, i, lane, got, want)
			}
		}
	}
}

func halfOf(entry func(matrix, row, column int) float64, matrix int, position func(lane, i int) (int, int), lane, i int) uint32 {
	row, column := position(lane, i)
	return uint32(lanes.Half.Encode(entry(matrix, row, column), lanes.Nearest))
}

// mmaBody loads each lane's registers, multiplies, and stores the result's.
func mmaBody(k int, result string, a, b, c int) string {
	var t strings.Builder
	fmt.Fprintf(&t, ".reg .b32 %%x<16>; mad.wide.u32 %%d3, %%r0, %d, %%d2; mad.wide.u32 %%d4, %%r0, %d, %%d1;\n", 4*(a+b+c), 4*c)
	list := func(first, n int) string {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprintf("%%x%d", first+i)
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	for i := range a + b + c {
		fmt.Fprintf(&t, "ld.global.u32 %%x%d, [%%d3+%d];\n", i, 4*i)
	}
	fmt.Fprintf(&t, "mma.sync.aligned.m16n8k%d.row.col.%s.f16.f16.%s %s, %s, %s, %s;\n", k, result, result, list(a+b, c), list(0, a), list(a, b), list(a+b, c))
	for i := range c {
		fmt.Fprintf(&t, "st.global.u32 [%%d4+%d], %%x%d;\n", 4*i, a+b+i)
	}
	return t.String() + "ret;"
}

// addressRecorder keeps the lane addresses of every access.
type addressRecorder struct {
	discard
	all [][32]uint64
}

func (r *addressRecorder) Access(_ int, _ uint32, a *[32]uint64) { r.all = append(r.all, *a) }

func (r *addressRecorder) AccessStrided(_ int, _ uint32, base uint64, stride int64) {
	var a [32]uint64
	for i := range a {
		a[i] = base + uint64(int64(i)*stride)
	}
	r.all = append(r.all, a)
}

// Sixteen lines of 32 bytes, each moved by two lanes; in the trace they are
// told by address, and an accumulator by eight elements a lane.
func TestMatrixLoadsRecordEachLanesPiece(t *testing.T) {
	for _, test := range []struct {
		load, vector string
		address      func(lane int) int
	}{
		{"a.sync.aligned.row.m16n16k16.global.f16", fragmentText("x", 8), func(lane int) int { return lane % 16 * 24 * 2 }},
		{"b.sync.aligned.row.m32n8k16.global.f16", fragmentText("x", 8), func(lane int) int { return lane % 16 * 24 * 2 }},
		{"a.sync.aligned.row.m32n8k16.global.f16", fragmentText("x", 8), func(lane int) int { return lane * 24 * 2 }},
		{"a.sync.aligned.col.m32n8k16.global.f16", fragmentText("x", 8), func(lane int) int { return (lane/2*24 + lane%2*16) * 2 }},
		{"c.sync.aligned.col.m16n16k16.global.f32", fragmentText("x", 8), func(lane int) int { return (lane/2*24 + lane%2*8) * 4 }},
		{"b.sync.aligned.col.m8n32k16.global.s8", fragmentText("x", 4), func(lane int) int { return lane * 24 }},
		{"a.sync.aligned.row.m8n8k32.global.u4", fragmentText("x", 1), func(lane int) int { return lane/4*12 + lane%4*4 }},
		{"c.sync.aligned.row.m8n8k128.global.s32", fragmentText("x", 2), func(lane int) int { return (lane/4*24 + lane%4*2) * 4 }},
	} {
		stride := 24
		if strings.HasSuffix(test.load, ".s8") {
			stride = 32
		}
		r := &addressRecorder{}
		s := script{body: fmt.Sprintf(".reg .b32 %%x<8>; wmma.load.%s %s, [%%d2], %d; ret;", test.load, test.vector, stride), input: make([]uint32, 2048), recorder: r}
		s.run(t)
		var want [32]uint64
		got := r.all[len(r.all)-1]
		for lane := range want {
			want[lane] = got[0] + uint64(test.address(lane))
			if stride == 32 {
				want[lane] = got[0] + uint64(lane*32)
			}
		}
		if got != want {
			t.Errorf("%s: lanes at %x, want %x", test.load, got, want)
		}
	}
}

func TestMatrixInstructionsTakeWholeWarps(t *testing.T) {
	load := "wmma.load.a.sync.aligned.row.m16n16k16.f16 " + fragmentText("r1", 8) + ", [%d2];"
	mma := "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r6, %r7};"
	for _, line := range []string{load, mma} {
		s := script{body: line + " ret;", block: dims(31, 1), input: make([]uint32, 128)}
		if f := s.fault(t); f.Kind != coexecution.FaultPartialWarp || !strings.Contains(f.Error(), "0x7fffffff") {
			t.Errorf("%s: %v", line, f)
		}
		never := script{body: "setp.ne.u32 %p1, 0, 0; @%p1 " + line + " ret;", block: dims(31, 1), input: make([]uint32, 128), recorder: &discard{}}
		never.run(t)
	}
}

func TestMatrixAccessesFault(t *testing.T) {
	line := "wmma.load.a.sync.aligned.row.m16n16k16.f16 " + fragmentText("x", 8)
	for what, want := range map[string]coexecution.FaultKind{
		", [%d2+8];": coexecution.FaultMisaligned, ", [%d2], 12;": coexecution.FaultMisaligned, ", [%d2], 1000;": coexecution.FaultOutOfBounds, ", [%d3];": coexecution.FaultNull,
	} {
		s := script{body: ".reg .b32 %x<8>; " + line + what + " ret;", input: make([]uint32, 128)}
		if f := s.fault(t); f.Kind != want || !strings.Contains(f.Access, "matrix load") {
			t.Errorf("%s: %v", what, f)
		}
	}
}

// Lines of nibbles and bits that do not begin with a byte are misaligned.
func TestLinesOfNibblesBeginWithWords(t *testing.T) {
	for _, line := range []string{
		"wmma.load.a.sync.aligned.row.m8n8k32.s4 {%x0}, [%d2], 33;", "wmma.load.b.sync.aligned.col.m8n8k128.b1 {%x0}, [%d2], 159;",
	} {
		s := script{body: ".reg .b32 %x<8>; " + line + " ret;", input: make([]uint32, 128)}
		if f := s.fault(t); f.Kind != coexecution.FaultMisaligned {
			t.Errorf("%s: %v", line, f)
		}
	}
}

func TestMatrixMovesThroughCheckedSharedMemory(t *testing.T) {
	s := script{declarations: ".shared .align 16 .b8 tile[1024];", options: Options{CheckShared: true},
		body: ".reg .b32 %x<8>; mov.u32 %r1, tile; wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " + fragmentText("x", 8) + ", [%r1], 16; ret;"}
	if f := s.fault(t); f.Kind != coexecution.FaultUninitialisedShared {
		t.Errorf("%v, want a read of shared memory that no thread wrote", f)
	}
	s.body = ".reg .b32 %x<8>; mov.u32 %r1, tile; mov.u32 %x3, %r0; wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r1], " + fragmentText("x", 8) + `, 16;
		shl.b32 %r2, %r0, 5; add.u32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2+12]; st.global.u32 [%d0], %r3; ret;`
	expect(t, s.run(t), func(i int) uint32 { return uint32(i) })
}

func TestFastHalvesAreHalves(t *testing.T) {
	for bits := range uint32(1 << 16) {
		got, want := float64(lanes.HalfValue(bits)), lanes.Half.Decode(uint64(bits))
		if got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) && want == want {
			t.Fatalf("%#x is %v, want %v", bits, got, want)
		}
		// The value, its neighbours in .f32, and the middle to the next with its neighbours.
		next := float32(lanes.Half.Decode(uint64(bits + 1)))
		for _, v := range []float32{lanes.HalfValue(bits), (lanes.HalfValue(bits) + next) / 2} {
			for _, x := range []float32{v, math.Nextafter32(v, 1e9), math.Nextafter32(v, -1e9)} {
				if got, want := lanes.HalfRounded(x), uint32(lanes.Half.Encode(float64(x), lanes.Nearest)); got != want {
					t.Fatalf("%v becomes %#x, want %#x", x, got, want)
				}
			}
		}
	}
}

func TestMatrixNaNsAreCanonical(t *testing.T) {
	s := script{words: 128, body: `.reg .f32 %y<4>; mov.b32 %r1, 0x7c007c00; mov.b32 %r2, 0; mov.f32 %y0, 0f00000000;
		mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%y0, %y1, %y2, %y3}, {%r1, %r1}, {%r2}, {%y0, %y0, %y0, %y0};
		mad.wide.u32 %d3, %r0, 16, %d1; st.global.v4.f32 [%d3], {%y0, %y1, %y2, %y3}; ret;`}
	expect(t, s.run(t), func(int) uint32 { return 0x7fffffff })
}

// FuzzMatrixCase compares any combination with the exact sums.
func FuzzMatrixCase(f *testing.F) {
	f.Add(uint16(0))
	f.Add(uint16(0x7ff))
	f.Fuzz(func(t *testing.T, bits uint16) {
		choose := func(list ...string) string {
			v := list[int(bits)%len(list)]
			bits /= uint16(len(list))
			return v
		}
		w := matrixCase{factor: choose("f16", "s8", "u8"), la: choose("row", "col"), lb: choose("row", "col"), lc: choose("row", "col"), ld: choose("row", "col")}
		w.c, w.d = "s32", "s32"
		if w.factor == "f16" {
			w.c, w.d = choose("f16", "f32"), choose("f16", "f32")
		}
		w.m, w.n, w.k = 16, 16, 16
		switch choose("square", "wide", "tall") {
		case "wide":
			w.m, w.n = 8, 32
		case "tall":
			w.m, w.n = 32, 8
		}
		w.check(t)
	})
}

// BenchmarkWmma isolates wmma.mma m16n16k16 with .f32 accumulators: unpacking
// of two factors and 4096 multiplications; BenchmarkMatrixLoad a fragment's way
// from global memory to registers.
func BenchmarkWmma(b *testing.B) {
	benchmarkBody(b, ".reg .b32 %a<8>; .reg .f32 %c<8>;", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "+
		strings.Join([]string{fragmentText("c", 8), fragmentText("a", 8), fragmentText("a", 8), fragmentText("c", 8)}, ", ")+";")
}

func BenchmarkMatrixLoad(b *testing.B) {
	benchmarkBody(b, ".reg .b32 %a<8>;", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "+fragmentText("a", 8)+", [%d1];")
}
