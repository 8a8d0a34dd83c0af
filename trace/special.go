// SPDX-License-Identifier: Apache-2.0

package trace

// SpecialFunction is a function of the special-function unit that has a price of its own.
type SpecialFunction uint8

// The functions. NotSpecial is what is none of them: other classes, tanh, and machine operations,
// which do not say which function they compute.
const (
	NotSpecial SpecialFunction = iota
	SpecialRoot
	SpecialLogarithm
	SpecialSine
	SpecialExponential
	SpecialReciprocal

	specialEnd
)

// SpecialFunctionCount is the number of functions; they are 0..SpecialFunctionCount-1.
const SpecialFunctionCount = int(specialEnd)

var specialNames = [specialEnd]string{"other", "sqrt", "log", "sin", "exp", "rcp"}

func (f SpecialFunction) String() string {
	if f < specialEnd {
		return specialNames[f]
	}
	return "unknown"
}

// SpecialFunction is the function of an instruction of ClassSpecial.
func (in *Instruction) SpecialFunction() SpecialFunction {
	if in.Class != ClassSpecial {
		return NotSpecial
	}
	switch in.Opcode {
	case "sqrt", "rsqrt":
		return SpecialRoot
	case "lg2":
		return SpecialLogarithm
	case "sin", "cos":
		return SpecialSine
	case "ex2":
		return SpecialExponential
	case "rcp":
		return SpecialReciprocal
	}
	return NotSpecial
}
