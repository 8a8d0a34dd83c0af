// SPDX-License-Identifier: Apache-2.0

package ir

import "github.com/warptape/warptape/trace"

// Variables gives PTX registers their virtual registers. It is a hash table of open
// addressing, as look-ups are many: one for each operand and analysis.
type Variables struct {
	names     []trace.Register
	registers []Register
	slots     []int32 // places in these from 1 on; a power of two of them, half of them empty
}

// Register gives the virtual register of a PTX register. Where it has none yet, that is next.
func (v *Variables) Register(r *trace.Register, next Register) Register {
	if 2*len(v.names) >= len(v.slots) {
		v.grow()
	}
	at := v.slot(r)
	if v.slots[at] == 0 {
		v.names, v.registers = append(v.names, *r), append(v.registers, next)
		v.slots[at] = int32(len(v.names))
	}
	return v.registers[v.slots[at]-1]
}

// Each calls visit for all of them, in the order in which they came.
func (v *Variables) Each(visit func(trace.Register, Register)) {
	for n := range v.names {
		visit(v.names[n], v.registers[n])
	}
}

// slot is the place of a register, or the empty one where it would be.
func (v *Variables) slot(r *trace.Register) uint32 {
	mask := uint32(len(v.slots) - 1)
	hash := uint32(r.Number)<<8 | uint32(r.File)<<4 | uint32(r.Words)
	for i := max(0, len(r.Virtual)-4); i < len(r.Virtual); i++ { // names differ in their last letters
		hash = (hash ^ uint32(r.Virtual[i])) * 16777619 // the prime of FNV-1
	}
	at := (hash ^ hash>>15) & mask
	for v.slots[at] > 0 && v.names[v.slots[at]-1] != *r {
		at = (at + 1) & mask
	}
	return at
}

func (v *Variables) grow() {
	v.slots = make([]int32, max(64, 2*len(v.slots)))
	for n := range v.names {
		v.slots[v.slot(&v.names[n])] = int32(n) + 1
	}
}
