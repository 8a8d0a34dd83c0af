// SPDX-License-Identifier: Apache-2.0

package array

// interval is what integers of an array are known to lie in. Positions that are known to be
// inside of an array need no look at them before they are used, so that what is taken at
// them can wait.
type interval struct {
	low, high int64
	known     bool
}

// sure bounds the intervals that are computed with: products fit into 64 bits.
const sure = 1 << 31

// between is an interval.
func between(low, high int64) interval { return interval{low, high, true} }

func (x interval) small() bool { return x.known && x.low >= -sure && x.high <= sure }

// positive reports whether all numbers are known to be above zero.
func (x interval) positive() bool { return x.known && x.low > 0 }

// positionsIn reports whether all numbers are known to be positions among n elements.
func (x interval) positionsIn(n int) bool { return x.known && x.low >= 0 && x.high < int64(n) }

// as is the interval of numbers that become a type, if none of them changes.
func (x interval) as(t Type) interval {
	if all := intervalOf(t); x.known && all.known && all.low <= x.low && x.high <= all.high {
		return x
	}
	return interval{}
}

// intervalOf has all numbers of a type. Of u64 it says nothing.
func intervalOf(t Type) interval {
	bits := 8 * t.Bytes()
	switch {
	case kinds[t].class == classSigned:
		return between(-1<<(bits-1), 1<<(bits-1)-1)
	case kinds[t].class == classUnsigned && bits < 64:
		return between(0, 1<<bits-1)
	}
	return interval{}
}

// interval is what is known of the elements without a look at more than one.
func (a *Array) interval() interval {
	switch {
	case a.waiting != nil && a.waiting.within.known:
		return a.waiting.within
	case a.within.known:
		return a.within
	case a.waiting == nil && a.Len() == 1 && intervalOf(a.typ).known:
		return between(a.Int(0), a.Int(0))
	}
	return intervalOf(a.typ)
}

// note says what is known of the elements of an array, which has no other yet.
func (a *Array) note(within interval) {
	a.within = within
	if a.waiting != nil {
		a.waiting.within = within
	}
}

// combine is the interval of an operation's results. A remainder is rounded as Starlark's, so
// that one by a positive number is not negative.
func combine(op operator, x, y interval) interval {
	switch op {
	case opRem:
		if y.positive() {
			return between(0, y.high-1)
		}
	case opAnd:
		if y.known && y.low >= 0 {
			return between(0, y.high)
		}
	case opFloorDiv:
		if x.known && y.positive() && y.low == y.high {
			return between(floorDiv(x.low, y.low), floorDiv(x.high, y.low))
		}
	case opShr:
		if by := y.low; x.known && y.known && by == y.high && by >= 0 && by < 64 {
			return between(x.low>>uint(by), x.high>>uint(by))
		}
	case opAdd, opSub, opMul:
		if x.small() && y.small() {
			return combineSmall(op, x, y)
		}
	}
	return interval{}
}

func combineSmall(op operator, x, y interval) interval {
	switch op {
	case opAdd:
		return between(x.low+y.low, x.high+y.high)
	case opSub:
		return between(x.low-y.high, x.high-y.low)
	}
	a, b, c, d := x.low*y.low, x.low*y.high, x.high*y.low, x.high*y.high
	return between(min(a, b, c, d), max(a, b, c, d))
}
