// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm/units"
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
	return lackingFrom80(l, in)
}

// lackingFrom80 is Lacking for what compute capabilities from 8.0 on have.
func lackingFrom80(l *arch.Lacks, in *trace.Instruction) error {
	has := func(modifier string) bool { return slices.Contains(in.Modifiers, modifier) }
	switch {
	case l.BulkCopies && (in.Class == trace.ClassBulk || in.Opcode == "cp" && has("bulk")):
		return errors.New("needs bulk copies, which the machine lacks (sm.lacks.bulk_copies)")
	case l.AsyncCopies && in.Opcode == "cp" && has("async") && !has("bulk"):
		return errors.New("needs asynchronous copies, which the machine lacks (sm.lacks.async_copies)")
	case l.Clusters && (in.Opcode == "mapa" || in.Opcode == "getctarank" || in.Opcode == "barrier" && has("cluster") || has("shared::cluster") && in.Class != trace.ClassBulk && in.Opcode != "cvta"):
		return errors.New("needs clusters of thread blocks, which the machine lacks (sm.lacks.clusters)")
	case l.SparseProducts && in.Class == trace.ClassTensor && units.Sparse(in):
		return errors.New("needs sparse matrix products, which the machine lacks (sm.lacks.sparse_products)")
	case l.Warpgroups && in.Opcode == "wgmma":
		return errors.New("needs matrix products of warpgroups, which the machine lacks (sm.lacks.warpgroups)")
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
