// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
)

// A constant cache may have the instruction cache behind it, which holds lines of both. A miss
// then looks there, as many cycles later as the latency of that cache; what that
// lacks comes from the L2 to both.

// askBehind asks the instruction cache for the missing sectors of a line of the constant cache.
// o is the operation that waits for them, and may move.
func (p *Port) askBehind(now clock.Cycle, f *frontCache, l *lookup, o *operation) {
	instruction := o.instruction
	bytes := f.bytes(l.missing)
	op := p.operations.Take()
	p.operations.Items[op] = operation{kind: opRefill, issued: now, instruction: instruction, token: uint32(l.line)<<sectorBits | uint32(l.missing)}
	p.constants.refills.Push(lineAccess{
		Transaction: coalesce.Transaction{Line: p.instructions.tags.Line(f.tags.Address(l.line) | p.tag), Bytes: bytes},
		ready:       now + clock.Cycle(p.system.machine.Instruction.LatencyCycles), op: op,
	})
}

// sectorBits is room for the sectors of a line in the token of a refill, whose other bits are
// the line's.
const sectorBits = 8

// lookUpRefill takes one of the misses of the constant cache to the instruction cache.
func (p *Port) lookUpRefill(now clock.Cycle) bool {
	a := p.constants.refills.Head()
	if a.ready > now {
		return false
	}
	f := &p.instructions
	p.instruction = p.operations.Items[a.op].instruction
	p.operations.Items[a.op].remaining = 1
	if !f.perfect {
		l := f.find(a.Line, a.Bytes)
		if !p.read(now, f, a, &l) {
			return false
		}
	}
	op := p.constants.refills.Pop().op
	p.done(now, op, 1)
	return true
}

// refilled ends a refill: the constant cache has what it asked for.
func (p *Port) refilled(now clock.Cycle, token uint32) {
	p.fillLine(now, &p.constants, int(token>>sectorBits), cache.Sectors(token&(1<<sectorBits-1)))
}

// dropConstants empties the instruction cache of constants.
func (p *Port) dropConstants() {
	t := p.instructions.tags
	for i := range t.Len() {
		if t.Present(i) && t.Address(i)&^p.tag < instructionWindow {
			t.Empty(i)
		}
	}
}
