// SPDX-License-Identifier: Apache-2.0

package ptx

// Function is one .func (11.2.2).
type Function struct {
	Position
	Name   string
	Module *Module
	// Number counts the module's functions from 1; it is what the function's
	// address is made of.
	Number int
	// Returns and Params are the formal results and parameters.
	Returns, Params []Formal
	Code
	// Defined says that there is a body; a function without one is external.
	Defined bool
	// AddressTaken says that some instruction or initial value holds the
	// function's address, so that an indirect call may reach it.
	AddressTaken bool
}

// Formal is a formal parameter or result: a .param variable of SpaceArgument,
// or a .reg register.
type Formal struct {
	Variable *Variable
	Register *Register
}

// Passed is what a call passes for one formal.
type Passed struct {
	Type  Type
	Bytes uint64
}

// Signature is what caller and function agree upon.
type Signature struct{ Returns, Params []Passed }

// Prototype is a .callprototype, or a .calltargets list, which then has the
// Functions that can be called.
type Prototype struct {
	Signature
	Functions []*Function
}

// Passed gives the type and size of a formal.
func (f Formal) Passed() Passed {
	if f.Register != nil {
		return Passed{f.Register.Type, uint64(max(f.Register.Type.Bytes(), 1))}
	}
	return Passed{f.Variable.Type, f.Variable.Bytes}
}

func (f *Function) signature() Signature {
	return Signature{passedOf(f.Returns), passedOf(f.Params)}
}

func passedOf(formals []Formal) []Passed {
	list := make([]Passed, len(formals))
	for i := range formals {
		list[i] = formals[i].Passed()
	}
	return list
}

// fits reports whether a function of signature f can be called under s: the
// same numbers and sizes.
func (s Signature) fits(f Signature) bool {
	same := func(a, b []Passed) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i].Bytes != b[i].Bytes {
				return false
			}
		}
		return true
	}
	return same(s.Returns, f.Returns) && same(s.Params, f.Params)
}

// Called is the function that a call names; nil of a call through a pointer, and of other
// instructions.
func (in *Instruction) Called() *Function {
	if in.Op != OpCall {
		return nil
	}
	return in.Operands[1].Function
}

// Callees gives the functions that a call can reach: the one it names, those of
// its .calltargets, or all functions of its prototype's signature whose
// address the module takes somewhere.
func (in *Instruction) Callees(m *Module) []*Function {
	if in.Op != OpCall {
		return nil
	}
	if f := in.Called(); f != nil {
		return []*Function{f}
	}
	prototype := in.Operands[3].Prototype
	if prototype.Functions != nil {
		return prototype.Functions
	}
	var list []*Function
	for _, f := range m.Functions {
		if f.AddressTaken && prototype.fits(f.signature()) {
			list = append(list, f)
		}
	}
	return list
}
