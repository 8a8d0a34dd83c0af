package sm

import (
	"slices"

	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// decodeBarrier reads the operands of bar and barrier (PTX ISA 9.7.13.1):
// bar.sync a{,b}; bar.arrive a,b; bar.red.op d,a{,b},c. A barrier or count in a
// register is not in the trace: then it is barrier 0, and all warps take part.
// bar.warp.sync only delays its own warp. barrier.cluster.wait waits for the thread
// block, which is its cluster, at a barrier that has no number.
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
	sources := in.Operands[min(int(in.Destinations), len(in.Operands)):]
	if slices.Contains(in.Modifiers, "red") && len(sources) > 0 {
		sources = sources[:len(sources)-1]
	}
	if len(sources) > 0 && sources[0].Kind == trace.OperandImmediate {
		op.barrierID = uint8(sources[0].Value) % barrier.Named
	}
	if len(sources) > 1 && sources[1].Kind == trace.OperandImmediate {
		op.barrierThreads = uint32(sources[1].Value)
	}
}
