// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// Of plain loads and stores the address may be expanded; everything else says why not.
func TestAddressesThatMayBeExpanded(t *testing.T) {
	general := trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{File: trace.FileGeneral}}
	other := general
	other.Register.File = trace.FilePredicate
	result := trace.Operand{Kind: trace.OperandRegister}
	const plain, scratchpad = " is no plain load or store", "accesses to shared and constant memory stay with the warps"
	for _, c := range []struct {
		opcode string
		space  trace.Space
		list   []trace.Operand
		keep   bool
		at     int
		why    string
	}{
		{"ld", trace.SpaceGlobal, []trace.Operand{result, general}, false, 1, ""},
		{"ldu", trace.SpaceGlobal, []trace.Operand{result, general}, true, 1, ""},
		{"st", trace.SpaceGlobal, []trace.Operand{general, result}, false, 0, ""},
		{"st", trace.SpaceShared, []trace.Operand{general, result}, false, 0, ""},
		{"st", trace.SpaceShared, []trace.Operand{general, result}, true, 0, scratchpad},
		{"ld", trace.SpaceConst, []trace.Operand{result, general}, true, 1, scratchpad},
		{"ld", trace.SpaceGlobal, []trace.Operand{result, other}, false, 1, "its address is no general register"},
		{"atom", trace.SpaceGlobal, []trace.Operand{result, general, result}, false, 1, "atom" + plain},
		{"tex", trace.SpaceTexture, []trace.Operand{result, result}, false, -1, "tex" + plain},
		{"ld", trace.SpaceGlobal, []trace.Operand{result}, false, -1, "ld" + plain},
		{"ld", trace.SpaceParam, []trace.Operand{result, general}, false, -1, ""},
	} {
		a := &analysis{options: Options{KeepScratchpad: c.keep}}
		at, why := a.expandable(&trace.Instruction{Opcode: c.opcode, Space: c.space, Operands: c.list})
		if at != c.at || why != c.why {
			t.Errorf("%s in space %v, keeping %v: operand %d, %q; want %d, %q", c.opcode, c.space, c.keep, at, why, c.at, c.why)
		}
	}
}

// The words of st.async have more than addresses, and it has two operands in brackets.
func TestAsynchronousStoresStayWithTheWarps(t *testing.T) {
	general := trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{File: trace.FileGeneral}}
	in := trace.Instruction{
		Opcode: "st", Modifiers: []string{"async", "shared::cluster", "mbarrier::complete_tx::bytes"}, Space: trace.SpaceShared,
		Operands: []trace.Operand{general, {Kind: trace.OperandRegister}, general},
	}
	if at, why := new(analysis).expandable(&in); at != 0 || why == "" {
		t.Errorf("operand %d may be expanded: %q", at, why)
	}
}
