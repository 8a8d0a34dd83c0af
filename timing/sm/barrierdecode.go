// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"slices"

	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// decodeBarrier reads the operands of bar and barrier (PTX ISA 9.7.13.1): bar.sync
// a{,b}; bar.arrive a,b; bar.red.op d,a{,b},c. At barrier without .aligned threads
// arrive by themselves, elsewhere as warps. A barrier or count in a register is in the
// accesses of the trace. In older traces it is not: then it is barrier 0, and all warps take
// part. bar.warp.sync only delays its own warp. barrier.cluster.wait (9.7.13.3) has a barrier without a number.
func decodeBarrier(op *operation, in *trace.Instruction) {
	if slices.Contains(in.Modifiers, "warp") {
		op.kind = kindControl
		return
	}
	if slices.Contains(in.Modifiers, "cluster") {
		op.barrierID = barrier.Cluster
		return
	}
	op.barrierArrives = slices.Contains(in.Modifiers, "arrive")
	op.barrierApart = in.Opcode == "barrier" && !slices.Contains(in.Modifiers, "aligned")
	if op.barrierValues = in.Values; in.Values {
		return
	}
	number, threads := barrier.Operands(in)
	if number != nil {
		if op.barrierUnknown = number.Kind != trace.OperandImmediate; !op.barrierUnknown {
			op.barrierID = uint8(number.Value) % barrier.Named
		}
	}
	if threads != nil && threads.Kind == trace.OperandImmediate {
		op.barrierThreads = uint32(threads.Value)
	}
}
