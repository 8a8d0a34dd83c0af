// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// space is the state space that a memory instruction names; generic without one.
func (m instructionText) space() string {
	for _, s := range []string{"param", "global", "shared", "local", "const"} {
		if m.has(s) {
			return s
		}
	}
	return "generic"
}

// elements is the length of a memory instruction's vector.
func (m instructionText) elements() int {
	switch {
	case m.has("v2"):
		return 2
	case m.has("v4"):
		return 4
	}
	return 1
}

// registers names registers of a type for the elements of a vector.
func (m instructionText) registers() (text string, names []string) {
	class := registerClass[max(width(m.types()[0]), 16)]
	for i := range m.elements() {
		names = append(names, fmt.Sprintf("%s%d", class, 8+i))
	}
	if len(names) == 1 {
		return names[0], names
	}
	return "{" + strings.Join(names, ", ") + "}", names
}

// censusBytes are in all memories of a census kernel: the sign bits vary.
func censusBytes() []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(i*37 + 130)
	}
	return b
}

func byteList(b []byte) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(b), " ", ","), "[]")
}

// censusMemory is a kernel of one thread whose %d20 is the address of 32 bytes in
// a state space, which hold censusBytes; %d1 is the address of its results.
func censusMemory(space, body string) string {
	list := byteList(censusBytes())
	place := map[string]string{"param": "mov.u64 %d20, blob;", "global": "mov.u64 %d20, buffer;", "const": "mov.u64 %d20, table;", "generic": "mov.u64 %d20, buffer; cvta.global.u64 %d20, %d20;",
		"shared": "mov.u64 %d20, tile;", "local": "mov.u64 %d20, depot;"}[space]
	if space == "shared" || space == "local" {
		place += "mov.u64 %d8, buffer;"
		for i := range 4 {
			place += fmt.Sprintf("ld.global.u64 %%d7, [%%d8+%d]; st.%s.u64 [%%d20+%d], %%d7;", 8*i, space, 8*i)
		}
	}
	return ptxHeader + `.const .align 16 .b8 table[32] = {` + list + `}; .global .align 16 .b8 buffer[32] = {` + list + `}; .shared .align 16 .b8 tile[32];
.func (.param .align 16 .b8 r[16]) same(.param .align 16 .b8 x[16]) { .reg .b64 %y<2>; ld.param.v2.u64 {%y0, %y1}, [x]; st.param.v2.u64 [r], {%y0, %y1}; ret; }
.visible .entry kernel(.param .u64 out, .param .align 16 .b8 blob[32]) {
.reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<32>; .reg .b64 %d<32>; .local .align 16 .b8 depot[32];
ld.param.u64 %d1, [out]; ` + place + "\n" + body + "\nret;\n}\n"
}

// runCensusMemory runs such a kernel and gives the first bytes of its results.
func runCensusMemory(t *testing.T, text string, n int) []byte {
	t.Helper()
	d := NewDevice(Options{})
	k := kernelOf(t, d, "census.ptx", text, "kernel")
	out := upload(t, d, "out", make([]uint32, 16))
	arguments := append(append(pack(out), make([]byte, 8)...), censusBytes()...)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: arguments}); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if err := d.Read(out, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// checkLoad loads from each memory that the form reads; of .param from a kernel's
// parameter and from a result of a call.
func checkLoad(t *testing.T, m instructionText) {
	typ := m.types()[0]
	registers, names := m.registers()
	bytes, held := width(typ)/8, max(width(typ)/8, 2)
	var stores string
	for i, r := range names {
		stores += fmt.Sprintf("st.global.b%d [%%d1+%d], %s;", 8*held, i*held, r)
	}
	text := strings.Join(m, ".")
	bodies := []string{text + " " + registers + ", [%d20];" + stores}
	if m.space() == "param" {
		bodies = []string{text + " " + registers + ", [blob];" + stores,
			"ld.param.v2.u64 {%d5, %d6}, [blob]; { .param .align 16 .b8 x[16]; .param .align 16 .b8 r[16]; st.param.v2.u64 [x], {%d5, %d6}; call.uni (r), same, (x);" + text + " " + registers + ", [r+0]; }" + stores}
	}
	var want []byte
	for i := range names {
		element := slices.Clone(censusBytes()[i*bytes:][:bytes])
		if held > bytes && typ[0] == 's' && element[0] > 127 {
			element = append(element, 0xff)
		}
		want = append(want, append(element, make([]byte, held-len(element))...)...)
	}
	for _, body := range bodies {
		if got := runCensusMemory(t, censusMemory(m.space(), body), len(want)); !slices.Equal(got, want) {
			t.Errorf("%s reads % x, want % x", text, got, want)
		}
	}
}

// checkStore stores the second half of the bytes over the first.
func checkStore(t *testing.T, m instructionText) {
	typ, space := m.types()[0], m.space()
	registers, names := m.registers()
	bytes := width(typ) / 8
	var body string
	for i, r := range names {
		body += fmt.Sprintf("ld.param.b%d %s, [blob+%d];", 8*bytes, r, 16+i*bytes)
	}
	text := strings.Join(m, ".")
	if space == "param" {
		body += "ld.param.v2.u64 {%d5, %d6}, [blob]; { .param .align 16 .b8 x[16]; .param .align 16 .b8 r[16]; st.param.v2.u64 [x], {%d5, %d6};" + text + " [x+0], " + registers +
			"; call.uni (r), same, (x); ld.param.v2.u64 {%d5, %d6}, [r]; } st.global.v2.u64 [%d1], {%d5, %d6};"
	} else {
		body += text + " [%d20], " + registers + ";"
		for i := range 16 {
			body += fmt.Sprintf("ld%s.u8 %%h1, [%%d20+%d]; st.global.u8 [%%d1+%d], %%h1;", strings.TrimSuffix("."+space, ".generic"), i, i)
		}
	}
	want := censusBytes()[:16]
	copy(want, censusBytes()[16:][:bytes*len(names)])
	if got := runCensusMemory(t, censusMemory(space, body), 16); !slices.Equal(got, want) {
		t.Errorf("%s leaves % x, want % x", text, got, want)
	}
}

// checkAtomic: each lane has a word of its own, which holds its number.
func checkAtomic(t *testing.T, m instructionText) {
	float := m.types()[0] == "f32"
	word := func(v int) uint32 {
		if float {
			return math.Float32bits(float32(v))
		}
		return uint32(v)
	}
	after := map[string]func(i int) int{
		"add": func(i int) int { return i + 7 }, "min": func(i int) int { return min(i, 7) }, "max": func(i int) int { return max(i, 7) }, "or": func(i int) int { return i | 7 },
		"exch": func(int) int { return 7 }, "inc": func(i int) int { return (i + 1) * (1 - min(i/7, 1)) }, "cas": func(i int) int { return i + (9-7)*map[bool]int{true: 1}[i == 7] },
	}
	var operation string
	for name := range after {
		if m.has(name) {
			operation = name
		}
	}
	operands := fmt.Sprintf("%d", 7)
	if float {
		operands = "0f40E00000"
	}
	if operation == "cas" {
		operands += ", 9"
	}
	number, address, read := "mov.b32 %r1, %r0;", "mov.u64 %d3, %d0;", "global"
	if float {
		number = "cvt.rn.f32.u32 %r1, %r0;"
	}
	switch m.space() {
	case "shared":
		address, read = "mov.u64 %d3, tile; mad.wide.u32 %d3, %r0, 4, %d3;", "shared"
	case "generic":
		address = "cvta.global.u64 %d3, %d0;"
	}
	s := script{declarations: ".shared .align 4 .b32 tile[32]; ", words: 64, body: fmt.Sprintf(
		"%s %s st.%s.b32 [%%d3], %%r1; %s %%r2, [%%d3], %s; ld.%s.b32 %%r3, [%%d3]; st.global.b32 [%%d0], %%r3; st.global.b32 [%%d0+128], %%r2; ret;",
		number, address, read, strings.Join(m, "."), operands, read)}
	expect(t, s.run(t), func(i int) uint32 {
		if i >= 32 {
			return word(i - 32) // the value before
		}
		return word(after[operation](i))
	})
}

// checkMatrix multiplies two matrices with the form among the instructions. Matrix
// a is all ones, and b has its column's number everywhere. So each element of d is
// k times its column's number, plus c's element.
func checkMatrix(t *testing.T, m instructionText) {
	var rows, columns, depth int
	for _, s := range m {
		fmt.Sscanf(s, "m%dn%dk%d", &rows, &columns, &depth)
	}
	types := m.types()
	factor, sum := "f16", "f32"
	last := types[len(types)-1]
	switch {
	case last == "s8" || last == "u8" || m.has("mma") && types[0] == "s32":
		factor, sum = "u8", "s32"
		if m.has("s8") {
			factor = "s8"
		}
	case last == "s32":
		factor, sum = "s8", "s32"
	case m.has("c") || m.has("d") || m.has("mma"):
		sum = last
	}
	shape := fmt.Sprintf("m%dn%dk%d", rows, columns, depth)
	layout := map[string]string{"a": "row", "b": "row", "c": "row", "d": "row"}
	for name := range layout {
		if m.has(name) && m.has("col") {
			layout[name] = "col"
		}
	}
	if m.has("mma") {
		for i, s := range m {
			if s == "row" || s == "col" {
				layout["a"], layout["b"] = s, m[i+1]
				break
			}
		}
	}
	lines := map[string]string{}
	load := func(name string, typ string) {
		lines[name] = fmt.Sprintf("wmma.load.%s.sync.aligned.%s.%s.global.%s", name, layout[name], shape, typ)
	}
	load("a", factor)
	load("b", factor)
	load("c", sum)
	product := sum + "." + sum
	if factor != "f16" {
		product = strings.Join([]string{"s32", factor, factor, "s32"}, ".")
	}
	lines["mma"] = fmt.Sprintf("wmma.mma.sync.aligned.%s.%s.%s.%s", layout["a"], layout["b"], shape, product)
	lines["d"] = fmt.Sprintf("wmma.store.d.sync.aligned.%s.%s.global.%s", layout["d"], shape, sum)
	own := "mma"
	for _, name := range []string{"a", "b", "c", "d"} {
		if m.has(name) && !m.has("mma") {
			own = name
		}
	}
	lines[own] = strings.Join(m, ".")
	w := wmmaKernel{rows, columns, depth, factor, sum, layout, lines}
	w.check(t)
}

type wmmaKernel struct {
	rows, columns, depth int
	factor, sum          string
	layout, lines        map[string]string
}

// line is how many elements of a matrix lie one after the other.
func (w *wmmaKernel) line(name string) int {
	dimensions := map[string][2]int{"a": {w.rows, w.depth}, "b": {w.depth, w.columns}, "c": {w.rows, w.columns}, "d": {w.rows, w.columns}}[name]
	if w.layout[name] == "col" {
		return dimensions[0]
	}
	return dimensions[1]
}

func (w *wmmaKernel) check(t *testing.T) {
	t.Helper()
	factors, sums := 8, w.rows*w.columns*width(w.sum)/8/4/32
	if w.factor != "f16" {
		factors = 0
	}
	names := func(prefix string, n, rows, columns int) string {
		if n == 0 {
			n = rows * columns / 4 / 32
		}
		return fragmentText(prefix, n)
	}
	a, b := names("a", factors, w.rows, w.depth), names("b", factors, w.depth, w.columns)
	c, d := names("c", sums, 0, 0), names("d", sums, 0, 0)
	const place = 4096 // bytes for each matrix
	text := ptxHeader + ".visible .entry kernel(.param .u64 memory) {\n.reg .b32 %a<8>; .reg .b32 %b<8>; .reg .b32 %c<8>; .reg .b32 %d<8>; .reg .b64 %p;\nld.param.u64 %p, [memory];\n" +
		fmt.Sprintf("%s %s, [%%p], %d;\n%s %s, [%%p+%d], %d;\n%s %s, [%%p+%d], %d;\n%s %s, %s, %s, %s;\n%s [%%p+%d], %s, %d;\nret;\n}\n",
			w.lines["a"], a, w.line("a"), w.lines["b"], b, place, w.line("b"), w.lines["c"], c, 2*place, w.line("c"),
			w.lines["mma"], d, a, b, c, w.lines["d"], 3*place, d, w.line("d"))
	memory := make([]byte, 4*place)
	put := func(name string, row, column int, typ string, base int, v int) {
		if w.layout[name] == "col" {
			row, column = column, row
		}
		at := base + (row*w.line(name)+column)*width(typ)/8
		lanes.StoreRaw(memory[at:], width(typ)/8, numberBits(typ, v))
	}
	for k := range w.depth {
		for row := range w.rows {
			put("a", row, k, w.factor, 0, 1)
		}
		for column := range w.columns {
			put("b", k, column, w.factor, place, column)
		}
	}
	for row := range w.rows {
		for column := range w.columns {
			put("c", row, column, w.sum, 2*place, row)
		}
	}
	device := NewDevice(Options{})
	k := kernelOf(t, device, "wmma.ptx", text, "kernel")
	address, err := device.Allocate("memory", uint64(len(memory)))
	if err == nil {
		err = device.Write(address, memory)
	}
	if err == nil {
		_, err = device.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(address)})
	}
	if err == nil {
		err = device.Read(address, memory)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Clone(memory[3*place:])
	for row := range w.rows {
		for column := range w.columns {
			put("d", row, column, w.sum, 3*place, w.depth*column+row)
		}
	}
	if want := memory[3*place:]; !slices.Equal(got, want) {
		t.Errorf("%v: another product", w.lines)
	}
}

// numberBits are the bits of a small integer in a type.
func numberBits(typ string, v int) uint64 {
	if f, ok := formats[typ]; ok {
		return f.encode(number(new(big.Rat).SetInt64(int64(v)), false), "rn")
	}
	return uint64(v)
}

// checkFetch reads texels whose value is their place, by handle.
func checkFetch(t *testing.T, m instructionText) {
	types := m.types()
	element := map[string]ptx.Type{"f32": ptx.F32, "s32": ptx.S32, "u32": ptx.U32}[types[0]]
	data := make([]uint32, 32)
	for i := range data {
		data[i] = uint32(numberBits(types[0], i))
	}
	s := fetchScript{tex: strings.Join(m[1:], "."), texture: memory.Texture{Width: 32, Channels: 1, Element: element}, data: data, x: func(lane int) float32 { return float32(lane) }}
	if m.has("2d") {
		s.texture.Width, s.texture.Height = 8, 4
		s.x, s.y = func(lane int) float32 { return float32(lane % 8) }, func(lane int) float32 { return float32(lane / 8) }
	}
	results, err := s.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	for lane, v := range results {
		if v[0] != data[lane] {
			t.Fatalf("lane %d reads %#x, want %#x", lane, v[0], data[lane])
		}
	}
}

// checkMove moves or selects values of all widths.
func checkMove(t *testing.T, m instructionText) {
	class := registerClass[width(m.types()[0])]
	text := strings.Join(m, ".")
	move := fmt.Sprintf("%s %s9, %s8;", text, class, class)
	if m[0] == "selp" {
		move = fmt.Sprintf("and.b32 %%r1, %%r0, 1; setp.eq.u32 %%p1, %%r1, 0; ld.param.b%d %s7, [blob+8]; %s %s9, %s7, %s8, %%p1;", width(m.types()[0]), class, text, class, class, class)
	}
	n := width(m.types()[0])
	body := fmt.Sprintf("mov.u32 %%r0, 1; ld.param.b%d %s8, [blob+16]; %s st.global.b%d [%%d1], %s9;", n, class, move, n, class)
	want := censusBytes()[16:][:n/8]
	if got := runCensusMemory(t, censusMemory("global", body), n/8); !slices.Equal(got, want) {
		t.Errorf("%s gives % x, want % x", text, got, want)
	}
}

// checkPredicate: the truth table of two predicates, or of one.
func checkPredicate(t *testing.T, m instructionText) {
	operands := "%p1, %p2"
	truth := map[string]func(a, b bool) bool{
		"and": func(a, b bool) bool { return a && b }, "or": func(a, b bool) bool { return a || b }, "xor": func(a, b bool) bool { return a != b },
		"not": func(a, _ bool) bool { return !a }, "mov": func(a, _ bool) bool { return a },
	}[m[0]]
	if m[0] == "not" || m[0] == "mov" {
		operands = "%p1"
	}
	s := script{body: "and.b32 %r1, %r0, 1; and.b32 %r2, %r0, 2; setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 0; " +
		strings.Join(m, ".") + " %p3, " + operands + "; selp.u32 %r3, 1, 0, %p3; st.global.u32 [%d0], %r3; ret;"}
	expect(t, s.run(t), func(i int) uint32 {
		if truth(i&1 != 0, i&2 != 0) {
			return 1
		}
		return 0
	})
}

// checkApproximate: results lie within the coarsest of the bounds of 9.7.3.
func checkApproximate(t *testing.T, m instructionText) {
	want := map[string]func(x float64) float64{
		"rcp": func(x float64) float64 { return 1 / x }, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "sin": math.Sin, "cos": math.Cos,
		"lg2": math.Log2, "ex2": math.Exp2, "div": func(x float64) float64 { return x / 3 },
	}[m[0]]
	typ := m.types()[0]
	class, second := registerClass[width(typ)], ""
	load := "ld.param.f32 %r8, [blob+16];"
	if m[0] == "div" {
		second = ", 0f40400000"
	}
	convert := ""
	if typ == "f64" {
		convert = "cvt.f64.f32 %d8, %r8;"
	}
	for _, x := range []float32{0.75, 1, 1.5, 2, 10, 123.25} {
		body := load + fmt.Sprintf("mov.b32 %%r8, 0f%08X; %s %s %s9, %s8%s; st.global.%s [%%d1], %s9;", math.Float32bits(x), convert, strings.Join(m, "."), class, class, second, typ, class)
		b := runCensusMemory(t, censusMemory("global", body), 8)
		got := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		if typ == "f64" {
			got = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
		w := want(float64(x))
		bound := 0x1p-20 * max(math.Abs(w), 1)
		if m[0] == "sin" || m[0] == "cos" {
			bound = 0x1p-14
		}
		if math.Abs(got-w) > bound {
			t.Errorf("%s of %v is %v, want %v", strings.Join(m, "."), x, got, w)
		}
	}
}

// checkAddress turns an address of a state space into a generic one, or back,
// and reads through it.
func checkAddress(t *testing.T, m instructionText) {
	space, text := m.space(), strings.Join(m, ".")
	if m.types()[0] == "u32" {
		checkShortAddress(t, text)
		return
	}
	body := text + " %d10, %d20; ld.u32 %r1, [%d10+4]; st.global.u32 [%d1], %r1;"
	if m.has("to") {
		body = fmt.Sprintf("cvta.%s.u64 %%d10, %%d20; %s %%d11, %%d10; ld.%s.u32 %%r1, [%%d11+4]; st.global.u32 [%%d1], %%r1;", space, text, space)
	}
	want := censusBytes()[4:8]
	if got := runCensusMemory(t, censusMemory(space, body), 4); !slices.Equal(got, want) {
		t.Errorf("%s reads % x, want % x", text, got, want)
	}
}

// checkShortAddress is checkAddress where addresses have 32 bits.
func checkShortAddress(t *testing.T, text string) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "short.ptx", ".version 4.0\n.target sm_20\n.address_size 32\n.visible .entry kernel(.param .u32 out) { .reg .b32 %r<4>; ld.param.u32 %r1, [out]; "+text+" %r2, %r1; st.global.u32 [%r2], 77; ret; }", "kernel")
	out := upload(t, d, "out", make([]uint32, 1))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(uint32(out))}); err != nil {
		t.Fatal(err)
	}
	if got := download(t, d, out, 1)[0]; got != 77 {
		t.Errorf("%s leads elsewhere", text)
	}
}
