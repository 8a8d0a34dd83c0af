// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// vectorOf is a vector operand whose length .v2, .v4 or .v8 gives.
func vectorOf(name string, write bool) Slot {
	return Slot{Name: name, Accept: kindsOf(OperandVector), Write: write}
}

// vectorReductions are atom's and red's on vectors in global memory (9.7.13.5,
// "Atomic operation with vector type"); shape is what stands before b. Each
// element is an atomic operation of its own.
func vectorReductions(shape []Slot, order Group) []Form {
	var forms []Form
	add := func(types TypeSet, operation []Group, lengths LengthSet) {
		b := vectorOf("b", false)
		b.Lengths = lengths
		slots := append(shape[:len(shape):len(shape)], b)
		forms = append(forms, Form{Types: one(types), Groups: append(operation, order, anyScope), Vectors: true, Shape: slots, Class: trace.ClassAtomic}.withSpaces(SpaceGeneric, SpaceGlobal))
	}
	halves := func() []Group { return groups(req(ModAdd, ModMin, ModMax), req(ModNoftz)) }
	add(typesOf(F32), groups(req(ModAdd)), lengthsOf(2, 4))
	add(typesOf(F16, BF16), halves(), lengthsOf(2, 4, 8))
	add(typesOf(F16x2, BF16x2), halves(), lengthsOf(2, 4))
	return forms
}
