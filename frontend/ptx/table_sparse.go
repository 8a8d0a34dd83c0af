// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Sparse products (9.7.14.6, 9.7.15.6): half of the elements of each row of a are zeros,
// and the operand a has the others. Metadata say which ones they are, a selector which
// lanes of every four have the metadata.

// metadata and sparsitySelector are the operands of that name.
func metadata(name string) Slot { return Slot{Name: name, Rule: RuleB32, Accept: registerOnly} }

func sparsitySelector(name string) Slot {
	return Slot{Name: name, Rule: RuleB32, Accept: immediateOnly, Limit: 3}
}

// Sparse reports whether factor a of a matrix product is sparse.
func (in *Instruction) Sparse() bool { return in.Mods.Has(ModSp) || in.Mods.Has(ModSpOrdered) }

// MetadataLanes is how many lanes of every four have metadata: one for each 16 bits
// that a row of a has. Zero for dense products (9.7.14.6.1, 9.7.15.6.1).
func (in *Instruction) MetadataLanes() int {
	if !in.Sparse() {
		return 0
	}
	_, _, k := in.MatrixShape()
	if in.Op == OpWgmma {
		_, k = in.WarpgroupShape()
	}
	switch in.Types[1] {
	case TF32:
		k *= 2
	case S4, U4:
		k /= 2
	}
	return k / 16
}

// checkSelector: a selector chooses one lane, or two, of every four; with metadata in
// all of them it is zero.
func (k *kernelParser) checkSelector(in *Instruction) {
	n := in.MetadataLanes()
	if n == 0 {
		return
	}
	for _, name := range []string{"f", "sp-sel"} { // of mma and wgmma
		if o := in.Named(name); o != nil && o.Value >= uint64(4/n) {
			k.parser.errorAt(o.Position, "the sparsity selector is %d; with this shape and type %d of every four lanes have metadata, so that it is at most %d (9.7.14.6.1)", o.Value, n, 4/n-1)
		}
	}
}

// mmaSparseForms are those of mma.sp and mma.sp::ordered_metadata (9.7.14.6.3).
var mmaSparseForms = func() []Form {
	var forms []Form
	add := func(shape Mod, d Type, a, b TypeSet, inA, inB int, more ...Group) {
		g := append(groups(req(ModSp, ModSpOrdered), req(ModSync), req(ModAligned), req(shape), req(ModRow), req(ModColB)), more...)
		rule, n := RuleFirst, 4
		if d == F16 {
			rule, n = RuleB32, 2
		}
		forms = append(forms, Form{Types: []TypeSet{typesOf(d), a, b, typesOf(d)}, Groups: g, Shape: []Slot{fragmentResult(rule, n), fragment("a", RuleB32, inA), fragment("b", RuleB32, inB), fragment("c", rule, n), metadata("e"), sparsitySelector("f")}, Class: trace.ClassTensor})
	}
	same := func(small, large Mod, d Type, factor Type) {
		add(small, d, typesOf(factor), typesOf(factor), 2, 2)
		add(large, d, typesOf(factor), typesOf(factor), 4, 4)
	}
	same(ModM16n8k16, ModM16n8k32, F16, F16)
	same(ModM16n8k16, ModM16n8k32, F32, F16)
	same(ModM16n8k16, ModM16n8k32, F32, BF16)
	same(ModM16n8k8, ModM16n8k16, F32, TF32)
	bytes := typesOf(S8, U8)
	add(ModM16n8k32, S32, bytes, bytes, 2, 2, opt(ModSatfinite))
	add(ModM16n8k64, S32, bytes, bytes, 4, 4, opt(ModSatfinite))
	add(ModM16n8k64, S32, nibbles, nibbles, 2, 2, opt(ModSatfinite))
	add(ModM16n8k128, S32, nibbles, nibbles, 4, 4, opt(ModSatfinite))
	quarter := typesOf(E4M3, E5M2)
	add(ModM16n8k64, F32, quarter, quarter, 4, 4)
	return forms
}()
