// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/timing/counters"
)

// frontEnd adds fetch to issue: the units that the Buddy SM paper calls the
// pipeline front end (section 1).
func (b *builder) frontEnd() {
	b.instructionCache()
	if b.machine.FetchByLane() {
		return
	}
	m := &b.machine.SM
	buffer := b.ram("sm.instruction_buffer", m.MaxWarps*m.InstructionBuffer*m.InstructionBytes, m.InstructionBytes)
	c := b.add("sm/front end/instruction buffer")
	c.charge(buffer.WritePJ, counters.FetchInstruction)
	c.charge(buffer.ReadPJ, counters.IssuedWarp)
	c.structure(buffer, b.sms())

	c = b.add("sm/front end/decode")
	c.charge(b.energy("decode.instruction"), counters.FetchInstruction)
	b.logic(c, b.area("frontend.logic_mm2")/2*b.sms())

	c = b.add("sm/front end/scheduler")
	c.charge(b.energy("scheduler.instruction"), counters.IssuedWarp)
	b.logic(c, b.area("frontend.logic_mm2")/2*b.sms())

	board := b.cam("sm.scoreboard", m.MaxWarps, b.count("scoreboard.entry_bytes"))
	c = b.add("sm/front end/scoreboard")
	c.charge(board.SearchPJ+2*board.WritePJ, counters.IssuedWarp) // checked and set at issue, cleared at write-back
	c.structure(board, b.sms())

	entry := b.count("stack.entry_bytes")
	stack := b.ram("sm.simt_stack", m.MaxWarps*b.count("stack.depth")*entry, entry)
	c = b.add("sm/front end/SIMT stack")
	c.charge(stack.ReadPJ+stack.WritePJ, counters.UnitControl)
	c.structure(stack, b.sms())
}

// instructionCache adds the cache that all of an SM fetches from.
func (b *builder) instructionCache() {
	m := &b.machine.SM
	if ic := &b.machine.Instruction; ic.Bytes > 0 {
		width := m.FetchWidth * m.InstructionBytes
		e := b.cache("instruction_cache", ic, width, false)
		c := b.add("sm/front end/fetch")
		c.charge(e.tags.ReadPJ+e.data.ReadPJ, counters.FetchAccess)
		c.charge(e.tags.WritePJ+e.data.WritePJ*float64(ic.LineBytes)/float64(width), counters.FetchMiss)
		c.structure(e.tags, b.sms())
		c.structure(e.data, b.sms())
	}
}
