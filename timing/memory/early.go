// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// earlyLimit bounds the early reads that wait for the network: one that is on its
// way to the input of the network, and one behind it.
const earlyLimit = 2

// Holds implements seam.EarlyReader.
func (p *Port) Holds(address uint64) bool {
	if p.l1.tags == nil {
		return false
	}
	line := p.l1.tags.Line(address)
	l := p.l1.find(line, p.wholeLine(line))
	return l.line >= 0 && l.missing == 0
}

// ReadEarly implements seam.EarlyReader.
func (p *Port) ReadEarly(now clock.Cycle, address uint64, token uint32) bool {
	if p.early.Len() >= earlyLimit {
		return false
	}
	line := address &^ uint64(p.system.dataLine-1)
	whole := p.system.partOf(p.wholeLine(line))
	op := p.operations.Take()
	p.operations.Items[op] = operation{kind: opLoad, issued: now, token: token, instruction: seam.NoInstruction, remaining: int32(whole.answers)}
	p.instruction = seam.NoInstruction
	i, r := p.newRequest(now, read, &whole, line|p.tag)
	r.op = op
	p.early.Push(i)
	return true
}

// wholeLine is all bytes of a line in the block of cache.BlockBytes that holds it.
func (p *Port) wholeLine(line uint64) cache.Bytes {
	return cache.Range(int(line%cache.BlockBytes), p.system.dataLine)
}

var _ seam.EarlyReader = (*Port)(nil)
