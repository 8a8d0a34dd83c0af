// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
)

// conversionNames are all forms of cvt in the instruction table written out:
// every pair of types with every choice of modifiers.
func conversionNames() []string {
	var names []string
	for _, f := range ptx.SpecOf(ptx.OpCvt).Forms {
		prefixes := []string{"cvt"}
		for _, g := range f.Groups {
			choices := modifierNames(g.Mods)
			if !g.Required {
				choices = append([]string{""}, choices...)
			}
			prefixes = combine(prefixes, choices)
		}
		for _, set := range f.Types {
			prefixes = combine(prefixes, typeNames(set))
		}
		for _, name := range prefixes {
			if !slices.Contains(names, name) { // forms overlap in what is optional
				names = append(names, name)
			}
		}
	}
	return names
}

func modifierNames(set ptx.Modifiers) []string {
	var names []string
	for m := ptx.ModNone + 1; m.String() != "modifier?"; m++ {
		if set.Has(m) {
			names = append(names, "."+m.String())
		}
	}
	return names
}

func typeNames(set ptx.TypeSet) []string {
	var names []string
	for t := ptx.TypeNone + 1; t.String() != "type?"; t++ {
		if set.Has(t) {
			names = append(names, "."+t.String())
		}
	}
	return names
}

func combine(heads, tails []string) []string {
	var all []string
	for _, h := range heads {
		for _, t := range tails {
			all = append(all, h+t)
		}
	}
	return all
}

// conversionCase is one conversion between the narrowest registers that hold
// its types, or between registers of the given bits (9.4.1).
func conversionCase(name string, bits int) instructionCase {
	m := instructionText(strings.Split(name, "."))
	to, from := m.types()[0], m.types()[1]
	c := instructionCase{text: m, result: max(width(to), 16, bits), sources: []int{max(width(from), 16, bits)}}
	switch {
	case m.has("pack"):
		c.result, c.sources = 32, []int{32, 32, 32}[:len(m.types())]
		if len(m.types()) == 2 {
			c.sources = c.sources[:2]
		}
	case strings.HasSuffix(to, "x2") && from == "f32":
		c.sources = []int{32, 32}
	}
	c.twin = func(v [4]uint64, _ bool) uint64 {
		x := new(big.Int).SetUint64(twinConversion(m, v))
		if to[0] == 's' && !m.has("pack") {
			x = integerOf(x.Uint64(), to)
		}
		return wrap(x, c.result) // widened by its sign, or with zeros
	}
	return c
}

// keepsItsRegister says that no wider register may stand for a type of the
// conversion.
func keepsItsRegister(name string) bool {
	return strings.Contains(name, "bf16") || strings.Contains(name, "tf32") || strings.Contains(name, "x2") || strings.Contains(name, "pack")
}

func TestConversionsOfEveryPairAtTheirEdges(t *testing.T) {
	// One group of cases has the operands of one pair of types.
	groups := make(map[[2]string][]instructionCase)
	var pairs [][2]string
	for _, name := range conversionNames() {
		types := instructionText(strings.Split(name, ".")).types()
		pair := [2]string{types[0], types[1]}
		if groups[pair] == nil {
			pairs = append(pairs, pair)
		}
		groups[pair] = append(groups[pair], conversionCase(name, 0))
		if keepsItsRegister(name) {
			continue
		}
		groups[pair] = append(groups[pair], conversionCase(name, 64))
		if max(width(pair[0]), width(pair[1])) <= 32 {
			groups[pair] = append(groups[pair], conversionCase(name, 32))
		}
	}
	if len(pairs) < 12*12 {
		t.Errorf("%d pairs of types; 8 integer and 4 floating-point types give 144 by themselves", len(pairs))
	}
	for _, pair := range tracetest.Draw(t, pairs, len(pairs)/tracetest.Fewer(30, 12)) {
		runCases(t, groups[pair], conversionRecords(pair[0], pair[1]))
	}
}

// conversionRecords are the operands at which a conversion from one type to
// another can go wrong.
func conversionRecords(to, from string) []operandRecord {
	var values []uint64
	source, packed := strings.CutSuffix(from, "x2")
	if f, ok := formats[source]; ok {
		values = floatEdges(f, strings.TrimSuffix(to, "x2"))
	} else {
		values = integerEdges(from, to)
	}
	if len(values) > 1024 {
		panic("more values than a thread block has threads")
	}
	records := make([]operandRecord, len(values))
	for i, v := range values {
		other := values[(i*7+3)%len(values)]
		if packed {
			v |= other << (width(from) / 2)
		} else if width(from) < 64 {
			v |= 0xfeed_0123_4567_cafe << width(from) // what stands above is cut off
		}
		records[i].values = [4]uint64{v, other, 0x89ab_cdef}
	}
	return records
}

// floatEdges are bits of format f: what all conversions stumble over, and what
// lies on the edges of the type that it becomes.
func floatEdges(f floatFormat, to string) []uint64 {
	var magnitudes []uint64
	around := func(code uint64) {
		for d := range uint64(3) {
			if c := code + d - 1; c <= f.largest()+1 {
				magnitudes = append(magnitudes, c)
			}
		}
	}
	value := func(v *big.Rat) { around(f.encode(number(v, false), "rn")) }
	around(0)
	around(1 << (f.precision - 1)) // the least normal number
	around(f.largest())
	if f.bits == 8 {
		for code := range uint64(128) {
			around(code)
		}
	}
	all := uint64(1)<<(f.bits-1) - 1
	magnitudes = append(magnitudes, all, f.infinity()+1, f.infinity()|1<<(f.precision-2)) // NaNs, one signalling
	for k := -12; k <= 12; k++ {
		value(twoTo(k))
		value(new(big.Rat).Add(twoTo(k), twoTo(k-f.precision/2)))
	}
	for n := range int64(6) {
		value(big.NewRat(2*n+1, 2)) // halves between integers
	}
	if g, ok := formats[to]; ok {
		formatEdges(g, value)
	} else {
		limitEdges(to, value)
	}
	slices.Sort(magnitudes)
	magnitudes = slices.Compact(magnitudes)
	values := slices.Clone(magnitudes)
	for _, m := range magnitudes {
		values = append(values, m|1<<(f.bits-1))
	}
	return values
}

// formatEdges visits numbers of format g and the middles between them: among
// its subnormals, where it becomes normal, at one, and at its end.
func formatEdges(g floatFormat, visit func(*big.Rat)) {
	one := uint64(0)
	for one = 0; g.decode(one).value.Cmp(big.NewRat(1, 1)) < 0; one += 1 << (g.precision - 1) {
	}
	for _, start := range []uint64{0, 1<<(g.precision-1) - 2, one - 2, g.largest() - 3} {
		for code := start; code < start+4; code++ {
			a := g.decode(code).value
			next := new(big.Rat).Sub(a, g.decode(code-min(code, 1)).value) // the last step, at the end
			if code < g.largest() {
				next.Sub(g.decode(code+1).value, a)
			}
			visit(a)
			for _, quarters := range []int64{1, 2, 3} {
				visit(new(big.Rat).Add(a, new(big.Rat).Mul(next, big.NewRat(quarters, 4))))
			}
		}
	}
}

// limitEdges visits the ends of an integer type and what is half and one away
// from them.
func limitEdges(t string, visit func(*big.Rat)) {
	for _, bits := range []int{7, 8, 15, 16, 31, 32, 63, 64} {
		if bits != width(t) && bits != width(t)-1 {
			continue
		}
		for halves := int64(-4); halves <= 4; halves++ {
			visit(new(big.Rat).Add(twoTo(bits), big.NewRat(halves, 2)))
		}
	}
}

// integerEdges are bits of integer type t: the ends of all integer types and
// their neighbours, and the middles between numbers of a floating-point type
// that it becomes.
func integerEdges(t, to string) []uint64 {
	var values []uint64
	around := func(v *big.Int) {
		for d := int64(-1); d <= 1; d++ {
			x := new(big.Int).Add(v, big.NewInt(d))
			values = append(values, wrap(x, width(t)), wrap(x.Neg(x), width(t)))
		}
	}
	around(big.NewInt(0))
	around(big.NewInt(2))
	for _, bits := range []int{4, 7, 8, 11, 15, 16, 24, 25, 31, 32, 53, 54, 63, 64} {
		around(power(bits))
	}
	if f, ok := formats[to]; ok {
		for _, k := range []int{f.precision, f.precision + 1, f.precision + 4, 31, 32, 62, 63} {
			if k < f.precision {
				continue
			}
			half := power(k - f.precision)                                            // of the last place
			around(new(big.Int).Add(power(k), half))                                  // between an even number and the next
			around(new(big.Int).Add(power(k), new(big.Int).Mul(half, big.NewInt(3)))) // between an odd number and the next
			around(new(big.Int).Sub(power(k+1), half))                                // between the last before a power and it
		}
		limit := f.decode(f.largest()).value
		if limit.Num().BitLen() <= 64 {
			around(limit.Num())
		}
		around(big.NewInt(65519)) // the last that .f16 does not take for infinite
	}
	slices.Sort(values)
	return slices.Compact(values)
}
