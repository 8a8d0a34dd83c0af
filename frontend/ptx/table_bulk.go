// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Bulk copies (9.7.9.25.4): cp.async.bulk moves a range of bytes, cp.async.bulk.tensor
// a box of a tensor that a tensor map describes, cp.reduce.async.bulk combines what
// it brings with what is there. One thread starts each; an mbarrier or a bulk group
// tells when it is done.

// Slots of bulk copies. The first one with a space of its own is the destination.
var (
	bulkShared   = Slot{Name: "[dstMem]", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceShared}
	bulkGlobal   = Slot{Name: "[dstMem]", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceGlobal}
	bulkSource   = Slot{Name: "[srcMem]", Rule: RuleNone, Accept: kindsOf(OperandAddress)}
	bulkSize     = Slot{Name: "size", Rule: RuleB32, Accept: valueKinds}
	bulkBarrier  = Slot{Name: "[mbar]", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceShared}
	bulkBlocks   = Slot{Name: "ctaMask", Rule: RuleB16, Accept: valueKinds}
	bulkBytes    = Slot{Name: "byteMask", Rule: RuleB16, Accept: valueKinds}
	tensorSource = Slot{Name: "[tensorMap]", Rule: RuleNone, Accept: kindsOf(OperandAddress)}
	tensorTarget = Slot{Name: "[tensorMap]", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceGlobal}
)

// coordinateSlot names the coordinates that stand in the brackets of a tensor map.
const coordinateSlot = "tensorCoords"

// bulkForm is a form of cp.async.bulk; space is that of its source.
func bulkForm(class trace.OpClass, space Space, shape []Slot, more ...Group) Form {
	return Form{Groups: append(groups(req(ModAsync), req(ModBulk)), more...), Spaces: spacesOf(space), Shape: shape, Class: class}
}

// withMore gives the form with a modifier and the operand that it announces, which
// stands last.
func (f Form) withMore(m Mod, s Slot) Form {
	f.Groups = append(f.Groups[:len(f.Groups):len(f.Groups)], req(m))
	f.Shape = append(f.Shape[:len(f.Shape):len(f.Shape)], s)
	return f
}

// hinted gives each form without and with a cache policy.
func hinted(forms ...Form) []Form {
	all := forms
	for _, f := range forms {
		all = append(all, f.withMore(ModCacheHint, cachePolicy))
	}
	return all
}

// bulkForms are those of cp.async.bulk and cp.reduce.async.bulk.
var bulkForms = func() []Form {
	done, group := req(ModCompleteTxBytes), req(ModBulkGroup)
	load := bulkForm(trace.ClassBulk, SpaceGlobal, []Slot{bulkShared, bulkSource, bulkSize, bulkBarrier}, done)
	store := bulkForm(trace.ClassBulk, SpaceShared, []Slot{bulkGlobal, bulkSource, bulkSize}, group)
	forms := hinted(load, load.withMore(ModMulticast, bulkBlocks), store,
		bulkForm(trace.ClassNop, SpaceGlobal, []Slot{bulkSource, bulkSize}, req(ModPrefetch), req(ModL2)))
	forms = append(forms,
		store.withMore(ModCpMask, bulkBytes),
		store.withMore(ModCacheHint, cachePolicy).withMore(ModCpMask, bulkBytes),
		bulkForm(trace.ClassBulk, SpaceShared, []Slot{bulkShared, bulkSource, bulkSize, bulkBarrier}, done),
		bulkForm(trace.ClassNop, SpaceGeneric, nil, req(ModCommitGroup)),
		bulkForm(trace.ClassFence, SpaceGeneric, []Slot{{Name: "N", Rule: RuleB32, Accept: immediateOnly}}, req(ModWaitGroup), opt(ModRead)))
	return join(forms, bulkReductionForms())
}()

// bulkReductions are the operations of cp.reduce.async.bulk (9.7.9.25.4.2).
var bulkReductions = []struct {
	operation      Group
	shared, global TypeSet
}{
	{req(ModAdd), typesOf(U32, S32, U64), typesOf(U32, S32, U64, F32, F64)},
	{req(ModMin, ModMax), int32, int32and64 | typesOf(F16, BF16)},
	{req(ModInc, ModDec), typesOf(U32), typesOf(U32)},
	{req(ModAnd, ModOr, ModXor), typesOf(B32), bits32and64},
}

func bulkReductionForms() []Form {
	var forms []Form
	add := func(types TypeSet, space Space, shape []Slot, more ...Group) Form {
		f := bulkForm(trace.ClassBulk, space, shape, append(more, req(ModReduce))...)
		f.Types = one(types)
		return f
	}
	toShared := []Slot{bulkShared, bulkSource, bulkSize, bulkBarrier}
	toGlobal := []Slot{bulkGlobal, bulkSource, bulkSize}
	for _, r := range bulkReductions {
		forms = append(forms, add(r.shared, SpaceShared, toShared, req(ModCompleteTxBytes), r.operation))
		forms = append(forms, hinted(add(r.global, SpaceShared, toGlobal, req(ModBulkGroup), r.operation))...)
	}
	return append(forms, hinted(add(typesOf(F16, BF16), SpaceShared, toGlobal, req(ModBulkGroup), req(ModAdd), req(ModNoftz)))...)
}

// tensorDimensions are the suffixes of one to five dimensions.
var tensorDimensions = []Mod{Mod1d, Mod2d, Mod3d, Mod4d, Mod5d}

// Dimensions is the number of a tensor copy's coordinates; zero for other
// instructions.
func (in *Instruction) Dimensions() int {
	for i, m := range tensorDimensions {
		if in.Mods.Has(ModTensor) && in.Mods.Has(m) {
			return i + 1
		}
	}
	return 0
}

// tensorForms are those of cp.async.bulk.tensor, its reduction and its prefetch
// (9.7.9.25.5).
var tensorForms = func() []Form {
	var forms []Form
	for i, dimension := range tensorDimensions {
		coordinates := Slot{Name: coordinateSlot, Rule: RuleB32, Accept: kindsOf(OperandVector), Elements: i + 1}
		modes, stores := opt(ModTile), opt(ModTile)
		if i >= 2 {
			stores = opt(ModTile, ModIm2colNoOffs)
		}
		form := func(class trace.OpClass, space Space, shape []Slot, more ...Group) Form {
			return bulkForm(class, space, shape, append(more, req(ModTensor), req(dimension))...)
		}
		load := []Slot{bulkShared, tensorSource, coordinates, bulkBarrier}
		store := []Slot{tensorTarget, coordinates, bulkSource}
		fetch := []Slot{tensorSource, coordinates}
		list := []Form{
			form(trace.ClassBulk, SpaceGlobal, load, req(ModCompleteTxBytes), modes),
			form(trace.ClassBulk, SpaceShared, store, req(ModBulkGroup), stores),
			form(trace.ClassBulk, SpaceShared, store, req(ModBulkGroup), stores, req(ModReduce), req(ModAdd, ModMin, ModMax, ModInc, ModDec, ModAnd, ModOr, ModXor)),
			form(trace.ClassNop, SpaceGlobal, fetch, req(ModPrefetch), req(ModL2), modes),
		}
		list = append(list, list[0].withMore(ModMulticast, bulkBlocks))
		if dimension == Mod2d { // four rows: the first column, then the place of each
			rows := Slot{Name: coordinateSlot, Rule: RuleB32, Accept: kindsOf(OperandVector), Elements: 5}
			gather := form(trace.ClassBulk, SpaceGlobal, []Slot{bulkShared, tensorSource, rows, bulkBarrier}, req(ModCompleteTxBytes), req(ModGather4))
			list = append(list, gather, gather.withMore(ModMulticast, bulkBlocks),
				form(trace.ClassBulk, SpaceShared, []Slot{tensorTarget, rows, bulkSource}, req(ModBulkGroup), req(ModScatter4)),
				form(trace.ClassNop, SpaceGlobal, []Slot{tensorSource, rows}, req(ModPrefetch), req(ModL2), req(ModGather4)))
		}
		if i >= 2 { // the dimensions between channels and images have offsets
			offsets := Slot{Name: "im2colOffsets", Rule: RuleB16, Accept: kindsOf(OperandVector), Elements: i - 1}
			unrolled := form(trace.ClassBulk, SpaceGlobal, load, req(ModCompleteTxBytes)).withMore(ModIm2col, offsets)
			list = append(list, unrolled, unrolled.withMore(ModMulticast, bulkBlocks),
				form(trace.ClassNop, SpaceGlobal, fetch, req(ModPrefetch), req(ModL2)).withMore(ModIm2col, offsets))
		}
		forms = append(forms, hinted(list...)...)
	}
	return forms
}()

// Into is the state space of what a copy between two spaces writes; SpaceNone for
// an instruction that names one space.
func (f *Form) Into() Space {
	for i := range f.Shape {
		if s := f.Shape[i].Space; s == SpaceShared || s == SpaceGlobal {
			return s
		}
	}
	return SpaceNone
}

// located gives the operand that is [texture, coordinates] or [tensorMap,
// coordinates], which is followed by the coordinates; -1 without one.
func (in *Instruction) located() int {
	if !in.Mods.Has(ModTensor) {
		return in.Op.located()
	}
	return in.Form().locatedTensor()
}

func (f *Form) locatedTensor() int {
	for i := range f.Shape {
		if f.Shape[i].Name == coordinateSlot {
			return i - 1
		}
	}
	return -1
}

// Named is the operand in the slot of a name, in the ISA's spelling; nil where the
// instruction has none.
func (in *Instruction) Named(name string) *Operand {
	f := in.Form()
	if f == nil {
		return nil
	}
	for i := range in.Operands {
		if s := f.slot(i, len(in.Operands)); s != nil && s.Name == name {
			return &in.Operands[i]
		}
	}
	return nil
}

// Bulk reports whether the instruction is a bulk copy: one that moves many bytes
// for each thread that executes it.
func (in *Instruction) Bulk() bool {
	return in.Op == OpCp && in.Mods.Has(ModBulk) && len(in.Operands) > 1
}
