// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"

	"github.com/warptape/warptape/frontend/host/pcg"
	"github.com/warptape/warptape/trace/hugepages"
)

// number is the constraint of an element.
type number interface {
	integer | float
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// storage holds the elements of an array: a []T for the array's Type.
type storage any

// operator is an elementwise operation of two operands with a result of the
// same type.
type operator uint8

const (
	opAdd operator = iota
	opSub
	opMul
	opDiv
	opFloorDiv
	opRem
	opAnd
	opOr
	opXor
	opShl
	opShr
	opMin
	opMax

	operatorEnd
)

var operatorNames = [operatorEnd]string{"+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "minimum", "maximum"}

// kind is what is known of a Type: its functions work on whole storages, so
// the type is resolved once an operation, not once an element.
type kind struct {
	name  string
	bytes int
	class class

	make   func(n int) storage
	load   func(s storage, i int) scalar
	store  func(s storage, i int, v scalar)
	binary [operatorEnd]func(dst, a, b storage) // nil where the type has no such operation
	unary  map[string]func(dst, a storage)
	// compare fills dst with 1 where the relation holds.
	compare func(rel relation, dst []uint8, a, b storage)
	// convert fills dst, of this type, from elements of another; choose from a where the
	// mask is not zero, else from b. cut copies some elements. A view is the memory.
	convert func(dst, src storage)
	choose  func(dst, a, b storage, mask []uint8)
	cut     func(s storage, from, to int) storage
	view    func(s storage) []byte
	// window is a part of a storage; repeat fills dst with the first element of src.
	window func(s storage, from, to int) storage
	repeat func(dst, src storage)
	// different finds the next place from i on with unequal elements.
	different func(a, b storage, i int) int
	gather    func(dst, src storage, index []int)
	// gatherAt gathers to dst[at:] and reports whether all of index are positions in src.
	gatherAt func(dst, src storage, at int, index []int64) bool
	// stride fills dst with every step-th element from a place on.
	stride func(dst, src storage, from, step int)
	// put and addAt write src[k], or the only element of src, to dst[index[k]].
	put, addAt func(dst, src storage, index []int)
	cumsum     func(dst, src storage)
	// shift has the elements, from a place on, of a matrix so many rows and columns away, fill and
	// count are those of full and arange; copy moves elements to dst[at:].
	shift func(dst, src storage, rows, columns, down, right, from int)
	fill  func(dst storage, v scalar)
	count func(dst storage, start, step int64)
	copy  func(dst storage, at int, src storage)
	// zero reports whether any element is 0. first is the place of the first element that
	// is less, or greater, than all before it and that no later one is less, or greater, than.
	zero   func(s storage) bool
	other  func(s storage) bool // whether any element is not 0
	first  func(rel relation, s storage) int
	random func(dst storage, g pcg.Source, low int64, span uint64) // see DrawInts
	sum    func(s storage) float64                                 // in order; floats only
	halves func(s storage) (low, high int64)                       // of the sum: see halvesOf; integers only
	sort   func(s storage)
	// order sorts the indexes of s by their elements, stably.
	order func(index []int64, s storage)
	fma   func(dst, a, b, c storage) // floats only
}

var kinds = [typeEnd]kind{
	F32: floatKind[float32]("f32", 4),
	F64: floatKind[float64]("f64", 8),
	I8:  intKind[int8]("i8", 1, true),
	I16: intKind[int16]("i16", 2, true),
	I32: intKind[int32]("i32", 4, true),
	I64: intKind[int64]("i64", 8, true),
	U8:  intKind[uint8]("u8", 1, false),
	U16: intKind[uint16]("u16", 2, false),
	U32: intKind[uint32]("u32", 4, false),
	U64: intKind[uint64]("u64", 8, false),
}

// cutAll copies some elements. append clears nothing that it will overwrite, but it has touched new
// memory before anyone can ask for huge pages.
func cutAll[T number](s storage, from, to int) storage {
	part := s.([]T)[from:to]
	if len(part) < deferFrom {
		return append(make([]T, 0), part...)
	}
	return append(hugepages.Back(make([]T, 0, len(part))), part...)
}

func numberKind[T number](name string, bytes int) kind {
	return kind{
		name: name, bytes: bytes,
		make:      func(n int) storage { return hugepages.Back(make([]T, n)) },
		compare:   compareAll[T],
		choose:    chooseAll[T],
		cut:       cutAll[T],
		view:      viewOf[T],
		window:    func(s storage, from, to int) storage { return s.([]T)[from:to] },
		repeat:    func(dst, src storage) { fillAll(dst.([]T), src.([]T)[0]) },
		different: nextDifferent[T],
		gather:    gatherAll[T],
		gatherAt:  gatherWithin[T],
		stride:    strideAll[T],
		put:       putAll[T],
		addAt:     addAtAll[T],
		cumsum:    cumsumAll[T],
		sort:      sortAll[T],
		shift:     shiftPart[T],
		copy:      func(dst storage, at int, src storage) { copy(dst.([]T)[at:], src.([]T)) },
		zero:      anyZero[T],
		other:     anyOther[T],
		first:     firstExtreme[T],
		order:     orderAll[T],
	}
}

func floatKind[T float](name string, bytes int) kind {
	k := numberKind[T](name, bytes)
	k.class = classFloat
	k.convert = toFloat[T]
	k.load = func(s storage, i int) scalar { return scalar{f: float64(s.([]T)[i])} }
	k.store = func(s storage, i int, v scalar) { s.([]T)[i] = T(v.f) }
	k.fma = fmaAll[T]
	k.sum = sumAll[T]
	k.fill = func(dst storage, v scalar) { fillAll(dst.([]T), T(v.f)) }
	k.count = countFloats[T]
	k.binary[opAdd] = together(vectored(addLoops, plus[T]))
	k.binary[opSub] = together(vectored(subLoops, minus[T]))
	k.binary[opMul] = together(vectored(mulLoops, times[T]))
	k.binary[opDiv] = together(vectored(divLoops, over[T]))
	k.binary[opMin] = elementwise(func(a, b T) T { return T(math.Min(float64(a), float64(b))) })
	k.binary[opMax] = elementwise(func(a, b T) T { return T(math.Max(float64(a), float64(b))) })
	k.unary = map[string]func(dst, a storage){
		"-":     unaryLoop(negativeAll[T]),
		"abs":   unaryLoop(absFloats[T]),
		"sqrt":  unaryLoop(squareRoots[T]),
		"floor": unaryLoop(vectoredUnary(floorLoops, floorAll[T])),
	}
	addElementary[T](k.unary)
	return k
}

func intKind[T integer](name string, bytes int, signed bool) kind {
	k := numberKind[T](name, bytes)
	k.class = classUnsigned
	k.convert = toInteger[T](bytes, signed)
	k.load = func(s storage, i int) scalar { return scalar{class: classUnsigned, u: uint64(s.([]T)[i])} }
	k.store = func(s storage, i int, v scalar) { s.([]T)[i] = T(v.u) }
	k.fill = func(dst storage, v scalar) { fillAll(dst.([]T), T(v.i|int64(v.u))) }
	k.count = countIntegers[T]
	k.random = randomAll[T]
	k.halves = halvesOf[T]
	k.sort, k.order = sortIntegers[T], orderIntegers[T]
	if signed {
		k.class = classSigned
		k.load = func(s storage, i int) scalar { return scalar{class: classSigned, i: int64(s.([]T)[i])} }
		k.store = func(s storage, i int, v scalar) { s.([]T)[i] = T(v.i) }
	}
	k.binary[opAdd] = together(vectored(addLoops, plus[T]))
	k.binary[opSub] = together(vectored(subLoops, minus[T]))
	k.binary[opMul] = together(vectored(mulLoops, times[T]))
	k.binary[opFloorDiv] = byNumber(dividing(quotLoops, quotients[T]), elementwise(floorDiv[T]))
	k.binary[opRem] = byNumber(dividing(remLoops, remainders[T]), elementwise(floorRem[T]))
	k.binary[opAnd] = together(bytewise(andLoops, and[T]))
	k.binary[opOr] = together(bytewise(orLoops, or[T]))
	k.binary[opXor] = together(bytewise(xorLoops, xor[T]))
	k.binary[opShl] = together(vectored(shlLoops, shl[T]))
	k.binary[opShr] = together(vectored(shrLoops, shr[T]))
	k.binary[opMin] = elementwise(func(a, b T) T { return min(a, b) })
	k.binary[opMax] = elementwise(func(a, b T) T { return max(a, b) })
	k.unary = map[string]func(dst, a storage){
		"-":   unaryLoop(negativeAll[T]),
		"~":   each(func(a T) T { return ^a }),
		"abs": unaryLoop(vectoredUnary(absLoops, absIntegers[T])),
	}
	return k
}
