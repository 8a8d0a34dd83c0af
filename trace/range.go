// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"math"
)

// Range is an interval of numbers with both ends.
type Range struct{ First, Last uint64 }

// Everything is the range of all numbers.
var Everything = Range{0, math.MaxUint64}

// Has reports whether a number is in the range.
func (r Range) Has(n uint64) bool { return r.First <= n && n <= r.Last }

// String is "3", "3 to 5", "3 and up", or "all".
func (r Range) String() string {
	switch {
	case r == Everything:
		return "all"
	case r.Last == Everything.Last:
		return fmt.Sprintf("%d and up", r.First)
	case r.First == r.Last:
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d to %d", r.First, r.Last)
}
