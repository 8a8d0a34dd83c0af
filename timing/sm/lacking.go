package sm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

// Lacking says which instruction of the machine's list of missing ones in is.
func Lacking(l *arch.Lacks, noCopies []string, in *trace.Instruction) error {
	switch {
	case in.Class == trace.ClassBulk && len(noCopies) > 0:
		return fmt.Errorf("is a bulk copy: %s", strings.Join(noCopies, "; "))
	case l.Double && usesDouble(in):
		return errors.New("needs double precision, which the machine lacks (sm.lacks.double)")
	case l.Atomics && in.Class == trace.ClassAtomic:
		return errors.New("needs atomic operations, which the machine lacks (sm.lacks.atomics)")
	case l.Shuffles && in.Class == trace.ClassShuffle:
		return errors.New("needs warp shuffles, which the machine lacks (sm.lacks.shuffles)")
	}
	return nil
}

// usesDouble reports whether an instruction computes in double precision, or
// converts to or from it.
func usesDouble(in *trace.Instruction) bool {
	switch in.Class {
	case trace.ClassF64Add, trace.ClassF64MinMax, trace.ClassF64Mul, trace.ClassF64Fma, trace.ClassF64Div:
		return true
	case trace.ClassConvert, trace.ClassPredicate, trace.ClassSpecial:
		return slices.Contains(in.Types, "f64")
	}
	return false
}
