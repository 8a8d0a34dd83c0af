// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// Listen implements seam.Cleaner.
func (p *Port) Listen(d seam.LineDirectory) {
	if p.l1.tags == nil || p.l1Write != writeBack {
		panic("BUG: memory: a directory of an L1 that is not write-back")
	}
	p.directory = d
}

// leaves tells the directory that line index i of a cache is dropped.
func (p *Port) leaves(f *frontCache, i int) {
	if p.directory != nil && f == &p.l1 && f.tags.Present(i) {
		p.directory.Left(p.sm, f.tags.Address(i))
	}
}

// asks reports whether a line may not be written without asking the directory.
func (p *Port) asks(line uint64) bool {
	return p.directory != nil && !p.directory.Owns(p.sm, line)
}

// own asks to write the line of a store, which has been performed. An SM that asks has
// its write done, so that SMs that write the same line all get on. The request has a
// place in the miss queue beyond the last.
func (p *Port) own(now clock.Cycle, a *lineAccess) {
	p.directory.Own(now, p.sm, a.Line)
	op := p.operations.Take()
	p.operations.Items[op] = operation{kind: opControl, issued: now, remaining: 1, instruction: seam.NoInstruction, token: seam.NoToken}
	asked := p.system.partOf(cache.Range(int(a.Line%cache.BlockBytes), 1))
	p.request(now, &p.l1, own, &asked, a.Line).op = op
}

// Probe implements seam.Cleaner.
func (p *Port) Probe(now clock.Cycle, line uint64, keep bool) (had, dirty bool) {
	t := p.l1.tags
	i := t.Find(line)
	if i < 0 {
		return false, false
	}
	if dirty = t.Dirty(i) != 0; dirty {
		p.writeBackLine(now, &p.l1, i)
		p.to.Wake()
	}
	if !keep {
		p.leavesUnused(i)
		t.Empty(i)
	}
	return true, dirty
}
