// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
)

// LockLine implements seam.LineLocker.
func (p *Port) LockLine(address uint64) bool {
	return p.l1.tags != nil && p.l1.tags.Lock(p.l1.tags.Line(address))
}

// UnlockLine implements seam.LineLocker.
func (p *Port) UnlockLine(address uint64) {
	p.l1.tags.Unlock(p.l1.tags.Line(address))
	p.jammed = false
}

// LocalLines implements seam.LineLocker.
func (p *Port) LocalLines(a *seam.MemoryAccess, lines []uint64) []uint64 {
	var w coalesce.Warp
	p.lanes(a, &w)
	p.transactions = p.localTransactions(a, &w, p.transactions[:0])
	for i := range p.transactions {
		lines = append(lines, p.transactions[i].Line)
	}
	return lines
}

var _ seam.LineLocker = (*Port)(nil)
