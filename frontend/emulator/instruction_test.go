// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// expand writes out the alternatives in braces: "add.{u32,s32}".
func expand(pattern string) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}
	}
	end := open + strings.IndexByte(pattern[open:], '}')
	var list []string
	for _, alternative := range strings.Split(pattern[open+1:end], ",") {
		list = append(list, expand(pattern[:open]+alternative+pattern[end+1:])...)
	}
	return list
}

// exactInstructions are those whose results are given to the bit, apart from
// comparisons and conversions.
var exactInstructions = []string{
	"{add,sub,div,rem,min,max}.{u16,s16,u32,s32,u64,s64}", "{add,sub}.sat.s32",
	"{mul,mad}.{lo,hi}.{u16,s16,u32,s32,u64,s64}", "{mul,mad}.wide.{u16,s16,u32,s32}", "mad.hi.sat.s32",
	"{mul24,mad24}.{lo,hi}.{u32,s32}", "mad24.hi.sat.s32", "sad.{u16,s16,u32,s32,u64,s64}", "{abs,neg}.{s16,s32,s64}",
	"{add,min,max}.{u16x2,s16x2}", "{min,max}.relu.{s32,s16x2}",
	"{popc,clz,brev}.{b32,b64}", "bfind{,.shiftamt}.{u32,s32,u64,s64}", "bfe.{u32,s32,u64,s64}", "bfi.{b32,b64}",
	"{and,or,xor,not,cnot,shl}.{b16,b32,b64}", "shr.{b16,b32,b64,u16,s16,u32,s32,u64,s64}",
	"shf.{l,r}.{clamp,wrap}.b32", "prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "dp4a.{u32,s32}.{u32,s32}",
	"lop3.b32.{0x96,0xe8,0x1b,0xf0,0x01}", "dp2a.{lo,hi}.{u32,s32}.{u32,s32}", "fns.b32", "szext.{clamp,wrap}.{u32,s32}", "bmsk.{clamp,wrap}.b32",
	"{add,sub,mul,mad,fma}.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32", "{add,sub,mul,fma}.{rn,rz,rm,rp}.f64",
	"{add,sub,mul}{,.ftz}{,.sat}.f32", "{add,sub,mul}.f64",
	"div.{rn,rz,rm,rp}{,.ftz}.f32", "div.{rn,rz,rm,rp}.f64", "{rcp,sqrt}.{rn,rz,rm,rp}{,.ftz}.f32", "{rcp,sqrt}.{rn,rz,rm,rp}.f64",
	"{abs,neg}{,.ftz}.f32", "{abs,neg}.f64", "copysign.{f32,f64}",
	"{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32", "{min,max}.f64", "{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16,f16x2}",
	"{add,sub,mul}{,.ftz}{,.sat}.{f16,f16x2}", "fma.rn{,.ftz}{,.sat}.{f16,f16x2}", "fma.rn{,.relu}.{bf16,bf16x2}",
	"{add,sub,mul,fma}.{rn,rz,rm,rp}{,.ftz}.f32x2", "{add,sub,mul}{,.ftz}.f32x2",
	"{add,sub,mul}.{bf16,bf16x2}", "{abs,neg}.{f16,f16x2,bf16,bf16x2}", "{abs,neg}.ftz.{f16,f16x2}",
}

var comparisons = []string{
	"setp.{eq,ne}{,.and,.or,.xor}.{b16,b32,b64}", "setp.{lt,le,gt,ge}{,.and,.or,.xor}.{u16,s16,u32,s32,u64,s64}",
	"setp.{lo,ls,hi,hs}.{u16,u32,u64}", "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.and}{,.ftz}.f32",
	"setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.xor}.{f64,f16,bf16}", "setp.{lt,neu,nan}{,.and}.ftz.f16",
	"setp.{eq,lt,geu,num,nan}{,.and,.or,.xor}.{f16x2,bf16x2}", "set.{eq,ltu,ge}{,.and}.{f16,u16,u32}.f16", "set.{ne,gt}{,.xor}.{bf16,s16,s32}.bf16",
	"set.{eq,lt}{,.or}.f16x2.f16x2", "set.{leu,nan}{,.and}.bf16x2.bf16x2",
	"set.{eq,ne}{,.xor}.{u32,f32}.{b16,b32,b64}", "set.{lo,hs}{,.and}.s32.{u16,u32}",
	"set.{lt,ge,ne}{,.or}.{u32,s32,f32}.{s32,u64,f32,f64}", "set.{ltu,num}.ftz.{u32,f32}.f32",
}

// instructionCase is one instruction with its operands' widths and its twin.
type instructionCase struct {
	text    instructionText
	result  int // bits; 0 for a predicate pair
	sources []int
	// selectors stand behind the operands, the result first (".b0").
	selectors []string
	twin      func(v [4]uint64, p bool) uint64
}

// sourceCount gives the operands of the instructions that do not have two.
var sourceCount = map[string]int{
	"mad": 3, "fma": 3, "mad24": 3, "sad": 3, "bfe": 3, "bfi": 4, "shf": 3, "prmt": 3, "dp4a": 3, "dp2a": 3, "fns": 3, "lop3": 3,
	"abs": 1, "neg": 1, "popc": 1, "clz": 1, "brev": 1, "bfind": 1, "not": 1, "cnot": 1, "rcp": 1, "sqrt": 1, "cvt": 1,
}

func exactCase(name string) instructionCase {
	m := instructionText(strings.Split(name, "."))
	t := m.types()[0]
	count := sourceCount[m[0]]
	if count == 0 {
		count = 2
	}
	c := instructionCase{text: m, result: width(t), twin: func(v [4]uint64, _ bool) uint64 { return twinInteger(m, v) }}
	for range count {
		c.sources = append(c.sources, width(t))
	}
	if strings.Contains(t, "f") {
		c.twin = func(v [4]uint64, _ bool) uint64 { return twinFloat(m, v) }
	}
	switch m[0] {
	case "shl", "shr":
		c.sources[1] = 32
	case "bfe":
		c.sources = []int{width(t), 32, 32}
	case "bfi":
		c.sources = []int{width(t), width(t), 32, 32}
	case "popc", "clz", "bfind":
		c.result = 32
	}
	if m.has("wide") {
		c.result *= 2
		if m[0] == "mad" {
			c.sources[2] = c.result
		}
	}
	return c
}

// extremeOfThreeCase is min or max of three numbers: that of the first two, and
// the third.
func extremeOfThreeCase(name string) instructionCase {
	m := instructionText(strings.Split(name, "."))
	single := formats["f32"]
	return instructionCase{text: m, result: 32, sources: []int{32, 32, 32}, twin: func(v [4]uint64, _ bool) uint64 {
		var r [3]real
		for i := range r {
			x := v[i] & (1<<32 - 1)
			if m.has("ftz") {
				x = single.flushBits(x)
			}
			if m.has("abs") {
				x &^= 1 << 31
			}
			r[i] = single.decode(x)
		}
		return single.encode(extremeOf(m, extremeOf(m, r[0], r[1]), r[2]), "rn")
	}}
}

func comparisonCase(name string) instructionCase {
	m := instructionText(strings.Split(name, "."))
	types := m.types()
	t := types[len(types)-1]
	c := instructionCase{text: m, sources: []int{width(t), width(t)}}
	holds := func(v [4]uint64, p bool, invert bool) bool {
		r := twinCompare(m, t, v[0], v[1]) != invert
		switch {
		case m.has("and"):
			r = r && p
		case m.has("or"):
			r = r || p
		case m.has("xor"):
			r = r != p
		}
		return r
	}
	if strings.Contains(t, "f16") && (m[0] == "set" || strings.HasSuffix(t, "x2")) {
		return halfComparisonCase(m, t, c)
	}
	if m[0] == "setp" {
		c.twin = func(v [4]uint64, p bool) uint64 {
			var r uint64
			if holds(v, p, false) {
				r = 1
			}
			if holds(v, p, true) {
				r |= 2
			}
			return r
		}
		return c
	}
	c.result = 32
	c.twin = func(v [4]uint64, p bool) uint64 {
		switch {
		case !holds(v, p, false):
			return 0
		case types[0] == "f32":
			return uint64(math.Float32bits(1))
		}
		return 0xffffffff
	}
	return c
}

// halfComparisonCase is setp and set on halves and pairs of them. Predicate p is of
// the lower halves and q of the upper ones; set gives ones in each half, or 1.0.
func halfComparisonCase(m instructionText, t string, c instructionCase) instructionCase {
	single, packed := strings.CutSuffix(t, "x2")
	holds := func(v [4]uint64, p bool, at int) bool {
		r := twinCompare(m, single, v[0]>>at&0xffff, v[1]>>at&0xffff)
		switch {
		case m.has("and"):
			return r && p
		case m.has("or"):
			return r || p
		case m.has("xor"):
			return r != p
		}
		return r
	}
	if m[0] == "setp" {
		c.twin = func(v [4]uint64, p bool) (r uint64) {
			if holds(v, p, 0) {
				r = 1
			}
			if holds(v, p, 16) {
				r |= 2
			}
			return r
		}
		return c
	}
	result := m.types()[0]
	c.result = width(result)
	yes := map[string]uint64{"f16": 0x3c00, "f16x2": 0x3c00, "bf16": 0x3f80, "bf16x2": 0x3f80}[result]
	if yes == 0 {
		yes = 1<<width(result) - 1
	}
	if packed {
		yes &= 0xffff
	}
	c.twin = func(v [4]uint64, p bool) (r uint64) {
		if holds(v, p, 0) {
			r = yes
		}
		if packed && holds(v, p, 16) {
			r |= yes << 16
		}
		return r
	}
	return c
}

// lookupCase is lop3 with a boolean operation (9.7.8.6): whether the result is
// not zero, combined with another predicate.
func lookupCase(name string) instructionCase {
	m := instructionText(strings.Split(name, "."))
	plain := instructionText{"lop3", "b32", m[3]}
	return instructionCase{text: m, sources: []int{32, 32, 32}, twin: func(v [4]uint64, p bool) uint64 {
		r := twinBits(plain, v)
		holds := r != 0 && p
		if m[1] == "or" {
			holds = r != 0 || p
		}
		if holds {
			return r<<32>>32 | 1<<32
		}
		return r << 32 >> 32
	}}
}

// instructionCases are all cases of the tables.
func instructionCases() []instructionCase {
	var cases []instructionCase
	add := func(patterns []string, f func(string) instructionCase) {
		for _, p := range patterns {
			for _, name := range expand(p) {
				cases = append(cases, f(name))
			}
		}
	}
	add(exactInstructions, exactCase)
	add([]string{"{min,max}{,.ftz}{,.NaN}{,.abs}.f32"}, extremeOfThreeCase)
	add(comparisons, comparisonCase)
	for _, name := range conversionNames() {
		cases = append(cases, conversionCase(name, 0))
	}
	add([]string{"lop3.{and,or}.b32.{0x96,0x80,0x01,0xfe}"}, lookupCase)
	return cases
}

// registerClass names a register of some width.
var registerClass = map[int]string{16: "%h", 32: "%r", 64: "%d"}

// kernel writes a kernel that loads operands from records of 40 bytes, runs
// the instruction and stores the result into 8 bytes, for each thread.
func (c *instructionCase) kernel(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 out, .param .u64 in)\n{\n", name)
	b.WriteString(".reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b64 %a<8>; .reg .b32 %t<4>;\n")
	b.WriteString("ld.param.u64 %a1, [out]; ld.param.u64 %a2, [in]; mov.u32 %t1, %tid.x; mad.wide.u32 %a1, %t1, 8, %a1; mad.wide.u32 %a2, %t1, 40, %a2;\n")
	b.WriteString("ld.global.b32 %t2, [%a2+32]; setp.ne.u32 %p3, %t2, 0;\n")
	var operands []string
	switch {
	case c.text[0] == "lop3" && c.result == 0:
		operands = append(operands, "%r6|%p1")
	case c.result == 0:
		operands = append(operands, "%p1|%p2")
	default:
		operands = append(operands, registerClass[c.result]+"7")
	}
	for i, bits := range c.sources {
		register := fmt.Sprintf("%s%d", registerClass[bits], i)
		fmt.Fprintf(&b, "ld.global.b%d %s, [%%a2+%d];\n", bits, register, 8*i)
		operands = append(operands, register)
	}
	for i, s := range c.selectors {
		operands[i] = strings.Replace(s, "%", operands[i], 1)
	}
	text := c.text
	if last := len(text) - 1; text[0] == "lop3" {
		operands = append(operands, text[last])
		if c.result == 0 {
			operands = append(operands, "%p3")
		}
		text = text[:last]
	}
	if text[0] == "setp" || text[0] == "set" {
		if text.has("and") || text.has("or") || text.has("xor") {
			operands = append(operands, "%p3")
		}
	}
	fmt.Fprintf(&b, "%s %s;\n", strings.Join(text, "."), strings.Join(operands, ", "))
	switch {
	case text[0] == "lop3" && c.result == 0: // the result, and above it the predicate
		b.WriteString("selp.b32 %r7, 1, 0, %p1; mov.b64 %d7, {%r6, %r7}; st.global.b64 [%a1], %d7;\n")
	case c.result == 0:
		b.WriteString("selp.b32 %r6, 1, 0, %p1; selp.b32 %r7, 2, 0, %p2; or.b32 %r7, %r6, %r7; st.global.b32 [%a1], %r7;\n")
	default:
		fmt.Fprintf(&b, "st.global.b%d [%%a1], %s7;\n", c.result, registerClass[c.result])
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

const ptxHeader = ".version 8.0\n.target sm_80\n.address_size 64\n"

// edges are operands at which instructions break: ends of integer ranges,
// and for each floating-point format zeros, subnormals, ones, halves,
// infinities and NaNs.
var edges = func() []uint64 {
	list := []uint64{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
		0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(0) - 1, 0x80000000_00000001}
	for _, v := range []float64{0, 1, 1.5, 0.5, 2.5, 3, 1e-3, 255.5, 127.5, 65504, 65520, 65536, 2147483647, 2147483648, 4294967295.5, 9.3e18, 1.8446744073709552e19,
		0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-126, 0x1p-127, 0x1p-149, 0x1p-150, 0x1p126, 0x1p127, math.MaxFloat32, 0x1p-1022, 0x1p-1074, 0x1p-1030, 0x1p1023, math.MaxFloat64, 0x1.000001p0, 0x1.0000000000001p0,
		math.Inf(1), math.NaN()} {
		for _, s := range []float64{v, -v} {
			f32 := uint64(math.Float32bits(float32(s)))
			h := uint64(halfBits(s))
			list = append(list, math.Float64bits(s), f32, h|h<<16, f32>>16)
		}
	}
	return list
}()

// halfBits is the .f16 next to v towards zero, good enough for operands.
func halfBits(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	switch {
	case v != v:
		return 0x7e00
	case v >= 65536:
		return sign | 0x7c00
	case v < 0x1p-14:
		return sign | uint16(v*0x1p24)
	}
	fraction, e := math.Frexp(v)
	return sign | uint16(e+14)<<10 | uint16(fraction*2048)&0x3ff
}

// operandRecord is what one thread works on.
type operandRecord struct {
	values [4]uint64
	third  bool
}

// operands draws records: pairs of edges, near numbers, and random bits.
func operands(n int, seed uint64) []operandRecord {
	r := rand.New(rand.NewPCG(seed, 1))
	draw := func() uint64 {
		switch r.IntN(4) {
		case 0:
			return r.Uint64()
		case 1: // a single-precision number of moderate size in both halves
			f := uint64(math.Float32bits(float32(r.NormFloat64() * math.Exp2(float64(r.IntN(60)-30)))))
			return f<<32 | f
		}
		return edges[r.IntN(len(edges))]
	}
	list := make([]operandRecord, n)
	for i := range list {
		for j := range list[i].values {
			list[i].values[j] = draw()
		}
		if r.IntN(4) == 0 {
			list[i].values[1] = list[i].values[0] + uint64(r.IntN(3)) - 1
		}
		list[i].third = r.IntN(2) == 1
	}
	return list
}

// runCases runs each case over the records and compares with the twin.
func runCases(t *testing.T, cases []instructionCase, records []operandRecord) {
	t.Helper()
	var text strings.Builder
	text.WriteString(ptxHeader)
	for i := range cases {
		text.WriteString(cases[i].kernel(fmt.Sprintf("k%d", i)))
	}
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "cases.ptx", text.String()))
	if err != nil {
		t.Fatal(err)
	}
	out, in := upload(t, d, "out", make([]uint32, 2*len(records))), upload(t, d, "in", encodeRecords(records))
	for i := range cases {
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Fill(out, 0, uint64(8*len(records))); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: uint32(len(records)), Y: 1, Z: 1}, Arguments: pack(out, in)}); err != nil {
			t.Fatal(err)
		}
		cases[i].check(t, d, out, records)
	}
}

func encodeRecords(records []operandRecord) []uint32 {
	var words []uint32
	for _, r := range records {
		for _, v := range r.values {
			words = append(words, uint32(v), uint32(v>>32))
		}
		third := uint32(0)
		if r.third {
			third = 1
		}
		words = append(words, third, 0)
	}
	return words
}

func (c *instructionCase) check(t *testing.T, d *Device, out uint64, records []operandRecord) {
	t.Helper()
	b := make([]byte, 8*len(records))
	if err := d.Read(out, b); err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		got, want := binary.LittleEndian.Uint64(b[8*i:]), c.twin(r.values, r.third)
		if got != want {
			t.Errorf("%s of %#x (%v): %#x, but the rule gives %#x", strings.Join(c.text, "."), r.values[:max(len(c.sources), 1)], r.third, got, want)
			return
		}
	}
}

func TestInstructionsFollowTheirRules(t *testing.T) {
	// Three full warps and one with 8 lanes, which takes the masked path.
	cases := instructionCases()
	runCases(t, tracetest.Draw(t, cases, len(cases)/tracetest.Fewer(15, 5)), operands(104, 1))
}

func FuzzInstruction(f *testing.F) {
	cases := instructionCases()
	f.Add(uint16(0), uint64(7), uint64(0xffffffff), uint64(1), uint64(3), true)
	f.Add(uint16(300), uint64(0x7f800001), uint64(0x80000000), uint64(0x00000001), uint64(0), false)
	f.Add(uint16(900), uint64(0x7ff0000000000001), uint64(0x8000000000000000), uint64(2), uint64(31), true)
	f.Fuzz(func(t *testing.T, which uint16, a, b, c, d uint64, third bool) {
		i := int(which) % len(cases)
		runCases(t, cases[i:i+1], []operandRecord{{[4]uint64{a, b, c, d}, third}})
	})
}
