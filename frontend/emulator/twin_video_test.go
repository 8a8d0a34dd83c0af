// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// The twin of the video instructions works on lists of digits and big integers,
// after the words of 9.7.18.

// videoPart reads the part of a word that an operand such as "-%.b2" names.
func videoPart(v uint64, operand, t string) *big.Int {
	_, selector, _ := strings.Cut(operand, ".")
	bytes := 4
	first := 0
	if selector != "" {
		bytes = map[byte]int{'b': 1, 'h': 2}[selector[0]]
		first = bytes * int(selector[1]-'0')
	}
	return integerOf(v>>(8*first), fmt.Sprintf("%c%d", t[0], 8*bytes))
}

func twinVideoOperation(m instructionText, a, b *big.Int) *big.Int {
	r := new(big.Int)
	switch strings.TrimRight(m[0], "24") {
	case "vadd":
		r.Add(a, b)
	case "vsub":
		r.Sub(a, b)
	case "vabsdiff":
		r.Abs(r.Sub(a, b))
	case "vmin":
		r.Set(a)
		if b.Cmp(a) < 0 {
			r.Set(b)
		}
	case "vmax":
		r.Set(a)
		if b.Cmp(a) > 0 {
			r.Set(b)
		}
	case "vavrg": // halves away from zero upwards, below zero down
		r.Add(a, b)
		if r.Sign() >= 0 {
			r.Add(r, big.NewInt(1))
		}
		r.Div(r, big.NewInt(2)) // Euclidean: the floor
	case "vshl", "vshr":
		n := uint(b.Uint64() % 32)
		if m.has("clamp") {
			n = uint(min(b.Uint64(), 32))
		}
		if m[0] == "vshl" {
			return r.Mul(a, power(int(n)))
		}
		return r.Div(a, power(int(n)))
	case "vset":
		sign := a.Cmp(b)
		if m.has("eq") && sign == 0 || m.has("ne") && sign != 0 || m.has("lt") && sign < 0 || m.has("le") && sign <= 0 || m.has("gt") && sign > 0 || m.has("ge") && sign >= 0 {
			r.SetInt64(1)
		}
	}
	return r
}

// twinTypes gives the types of result, a and b.
func twinTypes(m instructionText) (d, a, b string) {
	t := m.types()
	if len(t) == 2 { // vset
		return "u32", t[0], t[1]
	}
	return t[0], t[1], t[2]
}

func twinScalarVideo(m instructionText, operands []string, v [4]uint64) uint64 {
	dt, at, bt := twinTypes(m)
	r := twinVideoOperation(m, videoPart(v[0], operands[1], at), videoPart(v[1], operands[2], bt))
	_, selector, merged := strings.Cut(operands[0], ".")
	bytes := 4
	if merged {
		bytes = map[byte]int{'b': 1, 'h': 2}[selector[0]]
	}
	if m.has("sat") {
		r = clampTo(r, fmt.Sprintf("%c%d", dt[0], 8*bytes))
	}
	if merged {
		c := []byte{byte(v[2]), byte(v[2] >> 8), byte(v[2] >> 16), byte(v[2] >> 24)}
		first := bytes * int(selector[1]-'0')
		for i := range bytes {
			c[first+i] = byte(wrap(r, 32) >> (8 * i))
		}
		return uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24
	}
	r, c := integerOf(wrap(r, 32), dt), integerOf(v[2], dt)
	switch {
	case m.has("add"):
		r.Add(r, c)
	case m.has("min") && c.Cmp(r) < 0, m.has("max") && c.Cmp(r) > 0:
		r = c
	}
	return wrap(r, 32)
}

func twinVideoMad(m instructionText, operands []string, v [4]uint64) uint64 {
	_, at, bt := twinTypes(m)
	minus := func(i int) bool { return operands[i][0] == '-' }
	r := new(big.Int).Mul(videoPart(v[0], operands[1], at), videoPart(v[1], operands[2], bt))
	signed := at == "s32" || bt == "s32"
	if minus(1) != minus(2) {
		r.Neg(r)
		signed = true
	}
	c := integerOf(v[2], map[bool]string{true: "s32", false: "u32"}[signed])
	if minus(3) {
		c.Neg(c)
		signed = true
	}
	r.Add(r, c)
	if m.has("po") {
		r.Add(r, big.NewInt(1))
	}
	switch {
	case m.has("shr7"):
		r.Div(r, power(7))
	case m.has("shr15"):
		r.Div(r, power(15))
	}
	if m.has("sat") {
		r = clampTo(r, map[bool]string{true: "s32", false: "u32"}[signed])
	}
	return wrap(r, 32)
}

func twinVectorVideo(m instructionText, operands []string, v [4]uint64) uint64 {
	dt, at, bt := twinTypes(m)
	parts := int(m[0][len(m[0])-1] - '0')
	bits := 32 / parts
	digits := func(i int, standard string) string {
		if _, s, ok := strings.Cut(operands[i], "."); ok {
			return s[1:]
		}
		return standard
	}
	mask := digits(0, "3210"[4-parts:])
	as, bs := digits(1, "3210"[4-parts:]), digits(2, map[int]string{2: "32", 4: "7654"}[parts])
	pool := new(big.Int).SetUint64(v[1] << 32 >> 32)
	pool.Lsh(pool, 32).Or(pool, new(big.Int).SetUint64(v[0]<<32>>32))
	pick := func(selector string, i int, t string) *big.Int {
		digit := int(selector[parts-1-i] - '0')
		field := new(big.Int).Rsh(pool, uint(digit*bits))
		return integerOf(wrap(field, 64), fmt.Sprintf("%c%d", t[0], bits))
	}
	sum := new(big.Int).SetUint64(v[2])
	result := uint64(0)
	for i := range parts {
		r := twinVideoOperation(m, pick(as, i, at), pick(bs, i, bt))
		if m.has("sat") {
			r = clampTo(r, fmt.Sprintf("%c%d", dt[0], bits))
		}
		kept := v[2] >> (i * bits) & (1<<bits - 1)
		if strings.Contains(mask, fmt.Sprint(i)) {
			sum.Add(sum, r)
			kept = wrap(r, bits)
		}
		result |= kept << (i * bits)
	}
	if m.has("add") {
		return wrap(sum, 32)
	}
	return result
}

// videoCase makes a case of an instruction and its operands as written, "%"
// standing for the register.
func videoCase(name string, operands ...string) instructionCase {
	m := instructionText(strings.Split(name, "."))
	c := instructionCase{text: m, result: 32, selectors: operands}
	for range operands[1:] {
		c.sources = append(c.sources, 32)
	}
	twin := twinScalarVideo
	switch {
	case m[0] == "vmad":
		twin = twinVideoMad
	case strings.ContainsAny(m[0], "24"):
		twin = twinVectorVideo
	}
	c.twin = func(v [4]uint64, _ bool) uint64 { return twin(m, operands, v) }
	return c
}

// videoSelections draws operands with and without selectors.
func videoCases() []instructionCase {
	r := rand.New(rand.NewPCG(9, 7))
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	part := func() string { return one("%", "%.b0", "%.b1", "%.b2", "%.b3", "%.h0", "%.h1") }
	var cases []instructionCase
	for _, p := range []string{"{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}",
		"{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap}", "vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}"} {
		for _, name := range expand(p) {
			cases = append(cases, videoCase(name, "%", part(), part()),
				videoCase(name, part()[:1]+one(".b0", ".b1", ".b2", ".b3", ".h0", ".h1"), part(), part(), "%"),
				videoCase(name+one(".add", ".min", ".max"), "%", part(), part(), "%"))
		}
	}
	for _, name := range expand("vmad.{u32,s32}.{u32,s32}.{u32,s32}{,.po}{,.sat}{,.shr7,.shr15}") {
		cases = append(cases, videoCase(name, "%", part(), part(), "%"))
		if !strings.Contains(name, ".po") {
			cases = append(cases, videoCase(name, "%", "-"+part(), part(), "%"), videoCase(name, "%", "-"+part(), "-"+part(), "-%"), videoCase(name, "%", part(), part(), "-%"))
		}
	}
	halves := func() string { return one("%", "%.h10", "%.h32", "%.h13", "%.h20", "%.h33") }
	bytes := func() string { return one("%", "%.b3210", "%.b7654", "%.b0505", "%.b1472") }
	for _, name := range expand("{vadd,vsub,vavrg,vabsdiff,vmin,vmax}{2,4}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat,.add}") {
		cases = append(cases, vectorVideoCase(name, halves, bytes, one))
	}
	for _, name := range expand("vset{2,4}.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}{,.add}") {
		cases = append(cases, vectorVideoCase(name, halves, bytes, one))
	}
	return cases
}

func vectorVideoCase(name string, halves, bytes func() string, one func(...string) string) instructionCase {
	mnemonic, _, _ := strings.Cut(name, ".")
	if strings.HasSuffix(mnemonic, "2") {
		return videoCase(name, one("%", "%.h0", "%.h1", "%.h10"), halves(), halves(), "%")
	}
	return videoCase(name, one("%", "%.b0", "%.b31", "%.b210", "%.b3210"), bytes(), bytes(), "%")
}

func TestVideoInstructionsFollowTheirRules(t *testing.T) {
	records := operands(96, 3)
	// Bytes near the ends of their ranges, in every place.
	for _, v := range []uint64{0x7f80ff01, 0x80007fff, 0x0001fffe, 0xffffffff, 0x80808080, 0x7f7f7f7f} {
		records = append(records, operandRecord{values: [4]uint64{v, v ^ 0xff00ff00, v >> 1, 0}})
	}
	all := videoCases()
	for cases := range slices.Chunk(tracetest.Draw(t, all, len(all)/tracetest.Fewer(15, 5)), 100) {
		runCases(t, cases, records)
	}
}
