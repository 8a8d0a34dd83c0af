// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"slices"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// compiled is a kernel with its two streams: basic block b of the non-affine stream
// is block b, that of the affine stream block b + affineFrom.
type compiled struct {
	plan       *affine.Plan
	rewriting  *core.Rewriting
	affineFrom uint32
	compares   []uint32 // per recorded instruction: the block that compares for its predicate on the lanes
	roles      []role   // per instruction of the rewritten kernel
	conflicts  []bool   // per recorded instruction: an early request that a store of another thread could change
	blocks     []blockParts
}

// role is what an assisted instruction does with the queues.
type role struct {
	address   bool   // dequeues an address, or data
	data      bool   // it is data
	predicate uint32 // dequeues the predicate of that recorded instruction, plus one
	enqueue   bool
	// decides marks a branch or exit whose outcome the warps supply: in the affine
	// stream it waits for them, in the other it supplies.
	decides bool
	affine  bool // of the affine stream
}

// blockParts is what a visit of a recorded basic block takes of the recording, and
// which parts of it the non-affine stream wants.
type blockParts struct {
	guards, accesses         uint32
	keptGuards, keptAccesses []uint32 // places among them
	removed                  uint32   // instructions that the stream does not have
	loads, affineLoads       uint32   // but those whose generic address tells at its expansion
	empty, affineEmpty       bool
	decides                  bool
}

// compile makes both streams of a plan.
func compile(p *affine.Plan) *compiled {
	k := p.Kernel
	c := &compiled{plan: p, affineFrom: uint32(len(k.Blocks)), blocks: make([]blockParts, len(k.Blocks))}
	rewritten := *k
	rewritten.Instructions, rewritten.Blocks = nil, nil
	c.rewriting = &core.Rewriting{Kernel: &rewritten}
	for b := range k.Blocks {
		c.block(func() { c.remaining(b) })
	}
	for b := range k.Blocks {
		n := len(rewritten.Instructions)
		c.block(func() { c.affine(b) })
		c.blocks[b].affineEmpty = len(rewritten.Instructions) == n
	}
	c.compares, c.conflicts = make([]uint32, len(k.Instructions)), make([]bool, len(k.Instructions))
	for i := range k.Instructions {
		in := &k.Instructions[i]
		c.conflicts[i] = p.Fates[i].Enqueue == affine.Data && in.Space != trace.SpaceLocal && !slices.Contains(in.Modifiers, "nc")
		if p.Fates[i].Enqueue == affine.Predicate {
			c.compares[i] = uint32(len(rewritten.Blocks))
			c.block(func() { c.put(comparing(&k.Instructions[i]), uint32(i), role{affine: true}) })
		}
	}
	return c
}

// block makes a basic block of what add appends.
func (c *compiled) block(add func()) {
	k := c.rewriting.Kernel
	first := uint32(len(k.Instructions))
	add()
	k.Blocks = append(k.Blocks, trace.BasicBlock{First: first, Count: uint32(len(k.Instructions)) - first, PostDominator: trace.NoBlock})
}

// put appends an instruction that counts as recorded instruction origin.
func (c *compiled) put(in trace.Instruction, origin uint32, r role) {
	c.rewriting.Kernel.Instructions = append(c.rewriting.Kernel.Instructions, in)
	c.rewriting.Origin = append(c.rewriting.Origin, origin)
	c.rewriting.Assisted = append(c.rewriting.Assisted, r.address || r.predicate > 0 || r.enqueue || r.decides || r.affine)
	c.roles = append(c.roles, r)
}

// remaining appends the non-affine stream of a basic block.
func (c *compiled) remaining(b int) {
	k, parts := c.plan.Kernel, &c.blocks[b]
	parts.empty = true
	for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
		in, f := &k.Instructions[i], &c.plan.Fates[i]
		if isLoad(in) && (f.Enqueue != affine.Data || in.Space != trace.SpaceGeneric) {
			parts.loads++
			if f.Enqueue == affine.Data {
				parts.affineLoads++
			}
		}
		if f.Stays {
			parts.empty = false
			if in.Guarded() && f.Dequeue != affine.Predicate {
				parts.keptGuards = append(parts.keptGuards, parts.guards)
			}
			if in.HasAccess() {
				parts.keptAccesses = append(parts.keptAccesses, parts.accesses)
			}
			parts.decides = parts.decides || f.Supplied
			c.put(dequeuing(in, f), i, role{
				address: f.Dequeue == affine.Data || f.Dequeue == affine.Address, data: f.Dequeue == affine.Data,
				predicate: dequeued(i, f), decides: f.Supplied,
			})
		} else {
			parts.removed++
		}
		if in.Guarded() {
			parts.guards++
		}
		if in.HasAccess() {
			parts.accesses++
		}
	}
}

func isLoad(in *trace.Instruction) bool {
	return in.Class == trace.ClassLoad && (in.Space == trace.SpaceGlobal || in.Space == trace.SpaceLocal || in.Space == trace.SpaceGeneric)
}

// dequeued is the predicate computation, plus one, whose result an instruction of the
// non-affine stream dequeues.
func dequeued(i uint32, f *affine.Fate) uint32 {
	if f.Dequeue == affine.Predicate {
		return i + 1
	}
	return f.Predicate
}

// dequeuing is an instruction as the non-affine stream has it.
func dequeuing(in *trace.Instruction, f *affine.Fate) trace.Instruction {
	out := *in
	switch f.Dequeue {
	case affine.Predicate:
		out.Opcode, out.Modifiers, out.Types, out.Class = "deq", []string{"pred"}, nil, trace.ClassPredicate
		out.Operands, out.Guard = in.Operands[:1], trace.Guard{}
	case affine.Data, affine.Address:
		out.Operands = slices.Clone(in.Operands)
		for k := range out.Operands {
			if o := &out.Operands[k]; o.Kind == trace.OperandAddress {
				*o = trace.Operand{Kind: trace.OperandAddress, Symbol: "deq." + f.Dequeue.String()}
			}
		}
	}
	return out
}

// affine appends the affine stream of a basic block.
func (c *compiled) affine(b int) {
	k := c.plan.Kernel
	for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
		in, f := &k.Instructions[i], &c.plan.Fates[i]
		control := in.Class == trace.ClassBranch || in.Class == trace.ClassExit || in.Class == trace.ClassBarrier
		if f.Affine && !control {
			c.put(computing(in), i, role{affine: true})
		}
		if f.Enqueue != affine.NoQueue && f.EmbeddedIn == 0 {
			c.put(enqueuing(in, f), i, role{enqueue: true, affine: true})
		}
		if p := f.Predicate; p != 0 {
			c.put(enqueuing(&k.Instructions[p-1], &c.plan.Fates[p-1]), p-1, role{enqueue: true, affine: true})
		}
		if f.Affine && control {
			c.put(controlling(in, f), i, role{decides: f.Supplied, affine: true})
		}
	}
}

// computing is an instruction on tuples; its guard is a source.
func computing(in *trace.Instruction) trace.Instruction {
	out := *in
	if in.Guard.Present {
		out.Operands = append(slices.Clone(in.Operands), trace.Operand{Kind: trace.OperandRegister, Register: in.Guard.Register})
		out.Guard = trace.Guard{}
	}
	return out
}

// comparing is a predicate computation for the threads of one warp, on the lanes: the
// predicate expansion unit takes its result, no register does (section 4.3).
func comparing(in *trace.Instruction) trace.Instruction {
	out := computing(in)
	out.Operands, out.Destinations = out.Operands[out.Destinations:], 0
	return out
}

// enqueuing sends the address of a memory access, or a predicate, to the queue.
func enqueuing(in *trace.Instruction, f *affine.Fate) trace.Instruction {
	out := trace.Instruction{Opcode: "enq", Modifiers: []string{f.Enqueue.String()}, Class: trace.ClassMove, Line: in.Line, SourceFile: in.SourceFile, SourceLine: in.SourceLine}
	if f.Enqueue == affine.Predicate {
		out.Operands = in.Operands[:1]
		return out
	}
	for k := range in.Operands {
		if in.Operands[k].Kind == trace.OperandAddress {
			out.Operands = append(out.Operands, in.Operands[k])
		}
	}
	if in.Guard.Present {
		out.Operands = append(out.Operands, trace.Operand{Kind: trace.OperandRegister, Register: in.Guard.Register})
	}
	return out
}

// controlling is a branch, exit or barrier. The affine warp never waits at a barrier:
// the address expansion unit does on its behalf (section 4.2).
func controlling(in *trace.Instruction, f *affine.Fate) trace.Instruction {
	out := *in
	switch {
	case in.Class == trace.ClassBarrier:
		out.Class, out.Operands, out.Destinations, out.Guard = trace.ClassNop, nil, 0, trace.Guard{}
	case f.Supplied:
		out.Guard = trace.Guard{}
	}
	return out
}
