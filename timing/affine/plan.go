// SPDX-License-Identifier: Apache-2.0

package affine

import "github.com/warptape/warptape/trace"

// Queue names where an enqueue sends a tuple: enq.data, enq.addr and enq.pred
// (section 4, figure 8).
type Queue uint8

// The queues. Data and Address share the per warp address queues; of Data the memory
// is asked as soon as the address is known.
const (
	NoQueue Queue = iota
	Data
	Address
	Predicate
)

var queueNames = [...]string{"", "data", "addr", "pred"}

func (q Queue) String() string { return queueNames[q] }

// Fate is what has become of an instruction.
type Fate struct {
	// Type is that of the value that it writes; unknown when it writes none.
	Type Type
	// Affine says that the affine stream has it: it computes for an enqueue, or is
	// control flow or a barrier for one.
	Affine bool
	// Stays says that the non-affine stream has it, perhaps with a dequeue.
	Stays bool
	// Enqueue is what the affine stream enqueues of it: a memory instruction's address
	// or a predicate.
	Enqueue Queue
	// Dequeue is what it dequeues in the non-affine stream: a memory instruction its
	// address, a decoupled predicate computation itself.
	Dequeue Queue
	// Predicate is the instruction, plus one, whose predicate it dequeues in place of
	// reading the register, and which therefore is not in the non-affine stream; zero
	// for none.
	Predicate uint32
	// EmbeddedIn is the instruction, plus one, that dequeues its predicate.
	EmbeddedIn uint32
	// Supplied says, of a branch in the affine stream, that its outcome is not affine:
	// the non-affine warps supply it (section 4.5).
	Supplied bool
	// Reason says why a memory access or predicate computation was not decoupled;
	// empty when it was, or when there was nothing to decouple.
	Reason string
	// Conditions are the divergent conditions of what it enqueues, 0 to 2.
	Conditions int
}

// Plan is a kernel after the compiler: what each instruction has become.
type Plan struct {
	Kernel *trace.Kernel
	Fates  []Fate
	// Reason says why nothing of the kernel was decoupled; empty when something was.
	Reason string
	// operations are what the evaluator executes.
	operations []operation
	options    Options
	// outer marks the blocks at which threads may stop that are not the nearest join.
	outer []bool
}

// Decoupled reports whether the kernel has an affine stream.
func (p *Plan) Decoupled() bool { return p.Reason == "" }

// Limits of the kernels that are analysed: the work grows with the product of blocks
// and registers.
const (
	maxBlocks       = 1 << 12
	maxInstructions = 1 << 15
)

// Compile splits a kernel into streams. It never fails: what cannot be decoupled
// stays as it is, and Plan.Reason or Fate.Reason says why. The kernel must be valid
// (trace.Kernel.Validate).
func Compile(k *trace.Kernel) *Plan { return CompileWith(k, Options{}) }

// Options choose what the compiler leaves open.
type Options struct {
	// KeepScratchpad leaves accesses to shared and constant memory to the warps: nothing
	// can be asked for early there.
	KeepScratchpad bool
	// DataDependent decides about branches whose outcome the warps would have to supply.
	DataDependent DataDependent
	// StackDepth is how many entries the affine SIMT stack and the divergent condition
	// register file have; PaperStackDepth when zero.
	StackDepth int
}

// DataDependent is what the compiler does about a branch whose outcome is not affine.
type DataDependent uint8

const (
	// FollowData has the affine warp wait for the outcome of the warps (section 4.5).
	FollowData DataDependent = iota
	// LeaveData leaves to the warps what is executed under the branch: the affine warp cannot
	// run ahead of them there. It follows them where something behind needs it.
	LeaveData
	// StopAtData leaves to them also what comes behind a branch that it would have to follow.
	StopAtData
)

func (o *Options) stackDepth() int {
	if o.StackDepth == 0 {
		return PaperStackDepth
	}
	return o.StackDepth
}

// CompileWith is Compile with options.
func CompileWith(k *trace.Kernel, o Options) *Plan {
	p := &Plan{Kernel: k, options: o, Fates: make([]Fate, len(k.Instructions)), outer: outerJoins(k)}
	for i := range p.Fates {
		p.Fates[i].Stays = true
	}
	if p.Reason = unfit(k); p.Reason != "" {
		return p
	}
	a := analyse(newGraph(k), o)
	if a.waitsAcross() {
		p.Reason = "warps of a thread block wait for each other at barriers on different paths, which one affine warp cannot follow at once"
		return p
	}
	if ordersApart(k) {
		p.Reason = "threads leave inside of branches that others wait behind, so that warps may execute sides in another order than one affine warp"
		return p
	}
	if p.Reason = a.needsDeep(); p.Reason != "" {
		return p
	}
	p.operations = a.operations
	s := splitter{analysis: a, plan: p}
	s.split()
	return p
}

// NoOperandKinds is the reason of a kernel whose instruction table has registers but
// no other operands: a trace from another simulator.
const NoOperandKinds = "the trace has no operand kinds: its instructions name registers but no constants, parameters or special registers"

// unfit says why a whole kernel is not analysed.
func unfit(k *trace.Kernel) string {
	if len(k.Blocks) > maxBlocks || len(k.Instructions) > maxInstructions {
		return "the kernel is larger than the compiler analyses"
	}
	kinds, sources := false, false
	for i := range k.Instructions {
		in := &k.Instructions[i]
		if in.Opcode == "brx" {
			return "the kernel has branches with several targets"
		}
		if in.Class == trace.ClassCall || in.Class == trace.ClassBranch && in.Opcode == "ret" {
			return "the kernel calls functions, through which the compiler does not look"
		}
		for j := range in.Operands {
			switch in.Operands[j].Kind {
			case trace.OperandImmediate, trace.OperandParam, trace.OperandSpecial, trace.OperandSymbol, trace.OperandBlock:
				kinds = true
			case trace.OperandAddress:
				kinds = kinds || !in.Operands[j].HasBase
			}
			sources = sources || j >= int(in.Destinations)
		}
	}
	if sources && !kinds {
		return NoOperandKinds
	}
	return ""
}
