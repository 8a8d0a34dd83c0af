// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strconv"
	"strings"
)

// symbolKind says what a name stands for.
type symbolKind uint8

const (
	symbolNone symbolKind = iota
	symbolRegister
	symbolVariable
	symbolParam
	symbolFunction
	symbolSampler // a sampler reference
	symbolVector  // registers declared with .v2 or .v4
	symbolBad     // declared with an error that has been reported
)

// symbol is what a name stands for in a scope.
type symbol struct {
	kind     symbolKind
	register *Register
	variable *Variable
	param    *Param
	function *Function
	elements int // of a vector
}

// scope is one { } of a kernel body.
type scope struct {
	parent  *scope
	symbols map[string]symbol
	ranges  map[string]registerRange // %r of .reg .b32 %r<9>
	singles map[string]registerRange // registers declared alone, until used
	labels  map[string]*Label
	lists   map[string]*targetList // .branchtargets
	// prototypes are the .callprototype and .calltargets of the scope.
	prototypes map[string]*Prototype
	// argumentBytes is the end of the argument area that is in use.
	argumentBytes uint64
}

// registerRange is a declaration of registers. Registers come to life when
// they are used: a declaration costs nothing, whatever it promises.
type registerRange struct {
	typ         Type
	count       uint64
	vector      int // elements of a .v2 or .v4 declaration, else 0
	declaration int
}

// declaredRegister remembers where a register was declared.
type declaredRegister struct {
	register    *Register
	declaration int
	number      uint64
}

// labelUse is a label operand that is resolved when the body has ended.
type labelUse struct {
	scope *scope
	name  string
	at    Position
}

// find looks a name up in the scope and those around it.
func (k *kernelParser) find(name string) symbol {
	if k.vectors {
		if vector, element, dotted := strings.Cut(name, "."); dotted {
			return k.findComponent(vector, element)
		}
	}
	prefix, number, numbered := splitRegister(name)
	for s := k.scope; s != nil; s = s.parent {
		if sym, ok := s.symbols[name]; ok {
			return sym
		}
		if r, ok := s.singles[name]; ok {
			if r.vector > 0 {
				return symbol{kind: symbolVector, elements: r.vector}
			}
			return k.newRegister(s, name, r, 0)
		}
		if !numbered {
			continue
		}
		if r, ok := s.ranges[prefix]; ok && number < r.count {
			if r.vector > 0 {
				return symbol{kind: symbolVector, elements: r.vector}
			}
			return k.newRegister(s, name, r, number)
		}
	}
	if k.shared(name) {
		k.parser.errorf("register %s is declared outside of functions, which share none (5.1.1); declare it in function %s, or pass it", abbreviate(name), abbreviate(k.name))
		return symbol{kind: symbolBad}
	}
	return k.parser.symbols[name]
}

// newRegister brings a declared register to life.
func (k *kernelParser) newRegister(s *scope, name string, r registerRange, number uint64) symbol {
	sym := symbol{kind: symbolRegister, register: &Register{Name: name, Type: r.typ}}
	k.registers = append(k.registers, declaredRegister{sym.register, r.declaration, number})
	s.define(name, sym)
	return sym
}

func (s *scope) define(name string, sym symbol) {
	if s.symbols == nil {
		s.symbols = make(map[string]symbol)
	}
	s.symbols[name] = sym
}

// declares reports whether the name is already taken in this very scope.
func (s *scope) declares(name string) bool {
	if _, ok := s.symbols[name]; ok {
		return true
	}
	_, ok := s.singles[name]
	return ok
}

// splitRegister splits %r12 into %r and 12. A number with a leading zero does
// not come from a range.
func splitRegister(name string) (prefix string, number uint64, ok bool) {
	digits := len(strings.TrimRight(name, "0123456789"))
	if digits == len(name) || name[digits] == '0' && digits+1 < len(name) {
		return "", 0, false
	}
	number, err := strconv.ParseUint(name[digits:], 10, 64)
	return name[:digits], number, err == nil
}

// findLabel looks a label up in the scope of its use and those around it.
func (u *labelUse) findLabel() *Label {
	for s := u.scope; s != nil; s = s.parent {
		if l, ok := s.labels[u.name]; ok {
			return l
		}
	}
	return nil
}

// targetList is a .branchtargets list.
type targetList struct {
	uses     []labelUse
	labels   []*Label
	resolved bool
}

// findList looks a list of branch targets up likewise; nil when there is none.
func (u *labelUse) findList() *targetList {
	for s := u.scope; s != nil; s = s.parent {
		if l, ok := s.lists[u.name]; ok {
			return l
		}
	}
	return nil
}

// numbered is the name of number i of a range.
func numbered(prefix string, i uint64) string { return prefix + strconv.FormatUint(i, 10) }
