// SPDX-License-Identifier: Apache-2.0

package ptx

import "sort"

// Refusal is something in PTX that the front end does not execute, and why.
type Refusal struct{ What, Reason string }

// Refused lists what is refused with a reason of its own, sorted: instructions
// by their mnemonics, then suffixes with their points. What stands neither here
// nor in the table is refused as unknown.
func Refused() []Refusal {
	var list []Refusal
	for name, reason := range refusedOpcodes {
		list = append(list, Refusal{name, reason})
	}
	for name, reason := range refusedSuffixes {
		list = append(list, Refusal{"." + name, reason})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i].What, list[j].What
		if suffix := a[0] == '.'; suffix != (b[0] == '.') {
			return !suffix
		}
		return a < b
	})
	return list
}

// refusedOpcodes are instructions of PTX that the front end does not execute,
// with the reason; a module that has one is refused where it stands. They stand
// in docs/ptx-coverage.md next to the instructions that are executed.
var refusedOpcodes = map[string]string{
	"tcgen05":              "tensor memory exists on sm_100 only; build for sm_80",
	"clusterlaunchcontrol": "clusters that take work from each other are not recorded; launch the grid that is wanted",
	"multimem":             "memory of several GPUs is not modelled",
	"stackrestore":         "dynamic stack frames are not modelled; give arrays a constant size",
	"stacksave":            "dynamic stack frames are not modelled; give arrays a constant size",
	"alloca":               "dynamic stack frames are not modelled; give arrays a constant size",
	"istypep":              "says what an opaque reference is; only textures are there",
}

// wideIm2col is why copies along the width alone are refused.
const wideIm2col = "which pixels the halo has, and where an image ends, the ISA shows in figures only (5.5.5); use .im2col or .tile"

// refusedSuffixes are suffixes that make an instruction one that is not
// executed, with the reason.
var refusedSuffixes = map[string]string{
	"im2col::w":         wideIm2col,
	"im2col::w::128":    wideIm2col,
	"im2col_no_offs::w": wideIm2col,
	"cube":              "cube maps are not executed; use a texture of six layers (.a2d)",
	"acube":             "cube maps are not executed; use a texture of layers (.a2d)",
	"2dms":              "multi-sample textures are not executed",
	"a2dms":             "multi-sample textures are not executed",
}
