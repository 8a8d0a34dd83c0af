// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// placeVariables lays out shared and local memory: the module's variables that
// the kernel uses, then the kernel's own, in order of declaration, each at its
// alignment. Extern shared arrays all begin behind the static ones.
func (k *Kernel) placeVariables() error {
	k.SharedOffsets = make(map[*ptx.Variable]uint64)
	k.LocalOffsets = make(map[*ptx.Variable]uint64)
	used := usedVariables(k.PTX)
	var dynamic []*ptx.Variable
	place := func(v *ptx.Variable) {
		switch {
		case v.Space == ptx.SpaceShared && v.Extern:
			dynamic = append(dynamic, v)
			k.DynamicSharedAlign = max(k.DynamicSharedAlign, v.Align)
		case v.Space == ptx.SpaceShared:
			k.SharedBytes = placeAt(k.SharedOffsets, v, k.SharedBytes)
		case v.Space == ptx.SpaceLocal:
			k.LocalBytes = placeAt(k.LocalOffsets, v, k.LocalBytes)
		}
	}
	for _, v := range k.PTX.Module.Variables {
		if used[v] {
			place(v)
		}
	}
	for _, v := range k.PTX.Variables {
		place(v)
	}
	for _, u := range k.PTX.Units[min(1, len(k.PTX.Units)):] {
		for _, v := range u.Variables {
			if v.Space == ptx.SpaceShared {
				place(v)
			}
		}
	}
	if err := k.placeFrames(); err != nil {
		return err
	}
	if k.SharedBytes > math.MaxInt32 || k.LocalBytes > math.MaxInt32 {
		return fmt.Errorf("%s: kernel %s needs %d bytes of shared and %d bytes of local memory; a trace holds at most %d of each",
			k.PTX.Position, k.PTX.Name, k.SharedBytes, k.LocalBytes, math.MaxInt32)
	}
	for _, v := range dynamic {
		k.SharedOffsets[v] = alignUp(k.SharedBytes, k.DynamicSharedAlign)
	}
	return nil
}

// placeAt places v at the end of a space and returns the new end.
func placeAt(offsets map[*ptx.Variable]uint64, v *ptx.Variable, end uint64) uint64 {
	offsets[v] = alignUp(end, v.Align)
	return offsets[v] + v.Bytes
}

func alignUp(n uint64, align uint32) uint64 {
	a := uint64(align)
	return (n + a - 1) &^ (a - 1)
}

// usedVariables is the set of variables that the kernel's operands name, and
// those whose addresses their initial values hold.
func usedVariables(k *ptx.Kernel) map[*ptx.Variable]bool {
	used := make(map[*ptx.Variable]bool)
	var add func(v *ptx.Variable)
	add = func(v *ptx.Variable) {
		if v == nil || used[v] {
			return
		}
		used[v] = true
		for _, r := range v.Relocations {
			add(r.Symbol)
		}
	}
	for i := range k.Body {
		for j := range k.Body[i].Operands {
			add(k.Body[i].Operands[j].Variable)
		}
	}
	return used
}

// constBytes is what the module places in constant memory.
func constBytes(m *ptx.Module) uint64 {
	end := uint64(0)
	for _, v := range m.Variables {
		if v.Space == ptx.SpaceConst {
			end = alignUp(end, v.Align) + v.Bytes
		}
	}
	return end
}

// sharedVariables lists where variables of shared memory lie, for the trace. A name that
// variables of several scopes have, or a variable and a parameter, is left out: operands do not
// tell them apart.
func (k *Kernel) sharedVariables() []trace.SharedVariable {
	meanings := make(map[string]int)
	for v := range usedVariables(k.PTX) {
		meanings[v.Name]++
	}
	for i := range k.PTX.Body {
		for j := range k.PTX.Body[i].Operands {
			if p := k.PTX.Body[i].Operands[j].Param; p != nil {
				meanings[p.Name] = math.MaxInt32
			}
		}
	}
	var list []trace.SharedVariable
	for v, at := range k.SharedOffsets {
		if meanings[v.Name] == 1 {
			s := trace.SharedVariable{Name: v.Name, Offset: uint32(at), Bytes: uint32(v.Bytes)}
			if v.Extern {
				s.Bytes = 0
			}
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b trace.SharedVariable) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Bytes, b.Bytes), strings.Compare(a.Name, b.Name))
	})
	return list
}
