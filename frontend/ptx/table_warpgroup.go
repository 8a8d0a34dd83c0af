// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// wgmma multiplies matrices by the four warps of a warpgroup (9.7.15). Matrix a is
// 64 x k, from registers or shared memory; b is k x n in shared memory, n a multiple
// of 8 up to 256. The shape's modifier stands for all n; the suffix says which one
// it is. A sparse a (.sp) has twice the k in as many bits.

// byShape is the length of a vector that the shape and the type of the sums give.
const byShape = -1

// warpgroupShapes are the modifiers of m64nNkK by K.
var warpgroupShapes = map[int]Mod{8: ModM64k8, 16: ModM64k16, 32: ModM64k32, 64: ModM64k64, 256: ModM64k256}

// warpgroupShape reads "m64n128k16".
func warpgroupShape(text string) (n, k int, ok bool) {
	rest, ok := strings.CutPrefix(text, "m64n")
	columns, depth, found := strings.Cut(rest, "k")
	n, err := strconv.Atoi(columns)
	k, bad := strconv.Atoi(depth)
	ok = ok && found && err == nil && bad == nil && n >= 8 && n <= 256 && n%8 == 0 && text == "m64n"+strconv.Itoa(n)+"k"+strconv.Itoa(k)
	return n, k, ok
}

// WarpgroupShape gives n and k of wgmma.mma_async; zeros for other instructions.
func (in *Instruction) WarpgroupShape() (n, k int) {
	if in.Op != OpWgmma {
		return 0, 0
	}
	for _, s := range in.Suffixes {
		if n, k, ok := warpgroupShape(s); ok {
			return n, k
		}
	}
	return 0, 0
}

// VectorLength is the length of the vector that a slot takes; zero for none of its own.
func (in *Instruction) VectorLength(s *Slot) int {
	if s.Elements != byShape {
		return s.Elements
	}
	n, _ := in.WarpgroupShape()
	return max(n, 8) * max(in.Types[0].Bits(), 16) / 64
}

var warpgroupForms = func() []Form {
	sync := groups(req(ModSync), req(ModAligned))
	with := func(more ...Group) []Group { return append(sync[:2:2], more...) }
	count := Slot{Name: "N", Rule: RuleB32, Accept: immediateOnly, Limit: 7}
	forms := []Form{
		{Groups: with(req(ModWarpgroupFence)), Class: trace.ClassNop},
		{Groups: with(req(ModCommitGroup)), Class: trace.ClassNop},
		{Groups: with(req(ModWaitGroup)), Shape: []Slot{count}, Class: trace.ClassNop},
	}
	return append(forms, warpgroupProducts(with)...)
}()

func warpgroupProducts(with func(more ...Group) []Group) []Form {
	scale := Slot{Name: "scale-d", Rule: RulePred, Accept: valueKinds}
	sign := func(name string) Slot { return Slot{Name: name, Rule: RuleS32, Accept: immediateOnly} }
	flag := func(name string) Slot { return Slot{Name: name, Rule: RuleB32, Accept: immediateOnly, Limit: 1} }
	a := Slot{Name: "a", Rule: RuleDescriptor, Accept: kindsOf(OperandRegister, OperandVector), Elements: 4}
	descriptor := func(name string) Slot { return Slot{Name: name, Rule: RuleB64, Accept: registerOnly} }
	var forms []Form
	add := func(d Type, factors [2]TypeSet, shape Mod, operands []Slot, more ...Group) {
		sums := Slot{Name: "d", Rule: RuleFirst, Accept: kindsOf(OperandVector), Elements: byShape, Write: true}
		if d == F16 {
			sums.Rule = RuleB32
		}
		forms = append(forms, Form{Types: []TypeSet{typesOf(d), factors[0], factors[1]}, Groups: append(with(req(ModMmaAsync), req(shape)), more...),
			Shape: append([]Slot{sums}, operands...), Class: trace.ClassTensor})
	}
	both := func(set TypeSet) [2]TypeSet { return [2]TypeSet{set, set} }
	shared, registers, either := descriptor("a-desc"), fragment("a", RuleB32, 4), a
	turned := func(names ...string) (list []Slot) {
		for _, name := range names {
			list = append(list, flag("imm-trans-"+name))
		}
		return list
	}
	// product adds the dense form, and the sparse one, whose k is twice that.
	product := func(d Type, factors [2]TypeSet, dense, sparse Mod, a Slot, rest []Slot, more ...Group) {
		add(d, factors, dense, append([]Slot{a, descriptor("b-desc"), scale}, rest...), more...)
		add(d, factors, sparse, append([]Slot{a, descriptor("b-desc"), metadata("sp-meta"), sparsitySelector("sp-sel"), scale}, rest...), append(more, req(ModSp))...)
	}
	signs := []Slot{sign("imm-scale-a"), sign("imm-scale-b")}
	for _, t := range []struct{ d, factor Type }{{F16, F16}, {F32, F16}, {F32, BF16}} {
		product(t.d, both(typesOf(t.factor)), ModM64k16, ModM64k32, shared, append(signs[:2:2], turned("a", "b")...))
		product(t.d, both(typesOf(t.factor)), ModM64k16, ModM64k32, registers, append(signs[:2:2], turned("b")...))
	}
	product(F32, both(typesOf(TF32)), ModM64k8, ModM64k16, either, signs)
	product(F16, both(typesOf(E4M3, E5M2)), ModM64k32, ModM64k64, either, signs)
	product(F32, both(typesOf(E4M3, E5M2)), ModM64k32, ModM64k64, either, signs)
	product(S32, both(typesOf(S8, U8)), ModM64k32, ModM64k64, either, nil, opt(ModSatfinite))
	add(S32, both(typesOf(B1)), ModM64k256, []Slot{either, descriptor("b-desc"), scale}, req(ModAnd), req(ModPopc))
	return forms
}

// checkWarpgroup: products of integers and bits have n 8, 24 and the multiples of
// 16 (9.7.15.2); the factors' signs are 1 and -1.
func (k *kernelParser) checkWarpgroup(in *Instruction) {
	n, _ := in.WarpgroupShape()
	if in.Types[0] == S32 && n != 8 && n != 24 && n%16 != 0 {
		k.parser.errorAt(in.Position, "wgmma of integers has no n of %d; there are 8, 24 and the multiples of 16 (9.7.15.2)", n)
	}
	for _, name := range []string{"imm-scale-a", "imm-scale-b"} {
		if o := in.Named(name); o != nil && uint32(o.Value) != 1 && uint32(o.Value) != ^uint32(0) {
			k.parser.errorAt(o.Position, "%s is 1 or -1 (9.7.15.5)", name)
		}
	}
}
