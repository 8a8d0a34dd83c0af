// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Operands of the video instructions are 32-bit registers; a source takes a part
// of one, and a result fills one (9.7.18).
var (
	videoD = Slot{Name: "d", Rule: RuleB32, Accept: registerOnly, Write: true, Parts: true}
	videoA = Slot{Name: "a", Rule: RuleB32, Accept: valueKinds, Parts: true, Minus: true}
	videoB = Slot{Name: "b", Rule: RuleB32, Accept: valueKinds, Parts: true, Minus: true}
	videoC = Slot{Name: "c", Rule: RuleB32, Accept: valueKinds, Minus: true}

	videoUnmerged = []Slot{videoD, videoA, videoB}
	videoMerged   = []Slot{videoD, videoA, videoB, videoC}
	// secondary is the operation of the result and c; without one, the result
	// is merged into c.
	secondary = opt(ModAdd, ModMin, ModMax)
	videoSets = req(ModEq, ModNe, ModLt, ModLe, ModGt, ModGe)
)

// scalarVideo is both lengths of a scalar video instruction.
func scalarVideo(types []TypeSet, class trace.OpClass, g ...Group) []Form {
	return []Form{
		{Types: types, Groups: g, Shape: videoUnmerged, Class: class},
		{Types: types, Groups: append(g[:len(g):len(g)], secondary), Shape: videoMerged, Class: class},
	}
}

func videoForms(class trace.OpClass) []Form {
	return scalarVideo([]TypeSet{int32, int32, int32}, class, sat)
}

var (
	videoShiftForms = scalarVideo([]TypeSet{int32, int32, typesOf(U32)}, trace.ClassIntAdd, sat, req(ModClamp, ModWrap))
	videoSetForms   = scalarVideo(two(int32, int32), trace.ClassIntAdd, videoSets)
	videoMadForms   = []Form{{Types: []TypeSet{int32, int32, int32}, Groups: groups(opt(ModPo), sat, opt(ModShr7, ModShr15)), Shape: videoMerged, Class: trace.ClassIntMad}}
)

// videoVectorForms: either saturation or the sum of the parts is possible.
func videoVectorForms(class trace.OpClass) []Form {
	return []Form{{Types: []TypeSet{int32, int32, int32}, Groups: groups(opt(ModSat, ModAdd)), Shape: videoMerged, Class: class}}
}

var videoVectorSetForms = []Form{{Types: two(int32, int32), Groups: groups(videoSets, opt(ModAdd)), Shape: videoMerged, Class: trace.ClassIntAdd}}

// VideoWidth is the bits of the parts that a video instruction computes on: 8
// or 16 for the vector ones, 32 for the scalar ones, zero for others.
func (op Opcode) VideoWidth() int {
	switch {
	case op >= OpVadd && op <= OpVset:
		return 32
	case op >= OpVadd2 && op <= OpVset2:
		return 16
	case op >= OpVadd4 && op <= OpVset4:
		return 8
	}
	return 0
}

// checkVideo checks selectors and signs, which depend on each other.
func (k *kernelParser) checkVideo(in *Instruction) {
	complain := func(o *Operand, text string) { k.parser.errorAt(o.Position, "%s (9.7.18)", text) }
	scalar := in.Op.VideoWidth() == 32
	for i := range in.Operands {
		o := &in.Operands[i]
		if o.Selector != "" && !legalSelector(in.Op.VideoWidth(), i, o.Selector) {
			complain(o, "illegal part ."+o.Selector+" of "+in.Op.String())
		}
		if o.Minus && (in.Op != OpVmad || in.Mods.Has(ModPo)) {
			complain(o, "only vmad without .po takes the negative of an operand")
		}
	}
	d := &in.Operands[0]
	switch {
	case in.Op == OpVmad && d.Selector != "":
		complain(d, "vmad writes all of its result")
	case in.Op == OpVmad && in.Operands[3].Minus && in.Operands[1].Minus != in.Operands[2].Minus:
		complain(d, "vmad takes the negative of the product or of c, not of both")
	case !scalar || in.Op == OpVmad:
	case len(in.Operands) == 3 && d.Selector != "":
		complain(d, "a part of the result is merged into c, which is missing")
	case len(in.Operands) == 4 && (d.Selector != "") == (in.Mods.Has(ModAdd) || in.Mods.Has(ModMin) || in.Mods.Has(ModMax)):
		complain(d, "c takes either a second operation (.add, .min, .max) or a part of the result (d.b0)")
	}
}

// legalSelector: parts are named .b0 and .h1; vector instructions pick parts of
// a and b as digits, highest first (.h10, .b7654), and mask those of d.
func legalSelector(width, operand int, s string) bool {
	parts := 32 / width
	switch {
	case width == 32:
		return len(s) == 2 && (s[0] == 'b' && s[1] >= '0' && s[1] <= '3' || s[0] == 'h' && s[1] >= '0' && s[1] <= '1')
	case s[0] != map[int]byte{16: 'h', 8: 'b'}[width]:
		return false
	case operand > 0:
		return len(s) == 1+parts && digitsBelow(s[1:], 2*parts)
	}
	for i := 2; i < len(s); i++ { // a mask names each part once, downwards
		if s[i] >= s[i-1] {
			return false
		}
	}
	return len(s) > 1 && digitsBelow(s[1:], parts)
}

func digitsBelow(s string, n int) bool {
	for _, c := range s {
		if c < '0' || int(c-'0') >= n {
			return false
		}
	}
	return true
}
