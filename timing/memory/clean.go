package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// cleaning is lines that a level writes back and drops, from index next on.
type cleaning struct {
	lines seam.Lines
	next  int
}

// cleaned takes the place of a register in the write-backs of cleanLine.
const cleaned = int32(-2)

// cleanLine writes one dirty line back; lines without anything dirty go in no time.
// False when there is nothing to do or it has to wait.
func (l *level) cleanLine() bool {
	if l.clean.Len() == 0 {
		return false
	}
	c := l.clean.Head()
	for ; c.next < l.tags.Len(); c.next++ {
		i := c.next
		if !l.tags.Present(i) || !c.lines.Holds(l.tags.Address(i)) {
			continue
		}
		if d := l.tags.Dirty(i); d != 0 {
			if l.queue.Len() >= l.limit {
				return false
			}
			l.queue.Push(levelMiss{address: l.tags.Address(i), register: cleaned, sectors: d})
			l.cleans++
			l.tags.Empty(i)
			c.next++
			return true
		}
		l.tags.Empty(i)
	}
	l.clean.Drop()
	return true
}

// CleanL2 implements seam.L2Cleaner.
func (s *System) CleanL2(now clock.Time, lines seam.Lines) {
	s.now = max(s.now, now)
	for _, l := range s.slices {
		if !l.through {
			l.clean.Push(cleaning{lines: lines})
			s.wakeSlice(l)
		}
	}
}

// CleaningL2 implements seam.L2Cleaner.
func (s *System) CleaningL2() bool {
	for _, l := range s.slices {
		if l.clean.Len() > 0 || l.cleans > 0 {
			return true
		}
	}
	return false
}

// Clean implements seam.Cleaner.
func (p *Port) Clean(now clock.Cycle, lines seam.Lines, drop bool) {
	if p.l1.tags == nil {
		return
	}
	if p.flushing >= 0 {
		lines, drop = seam.AllLines, drop || !p.keep
	}
	p.flushing, p.flushed, p.keep = 0, lines, !drop
	p.to.Wake(now + 1)
}

// Cleaning implements seam.Cleaner.
func (p *Port) Cleaning() bool { return p.flushing >= 0 || p.cleans > 0 }

// TagRequests implements seam.Cleaner.
func (p *Port) TagRequests(bits uint64) { p.tag = bits }

// drop ends a flush: the lines that do not stay go.
func (p *Port) drop() {
	if p.keep {
		return
	}
	t := p.l1.tags
	if p.flushed == seam.AllLines {
		t.Invalidate()
		return
	}
	for i := range t.Len() {
		if t.Present(i) && p.flushed.Holds(t.Address(i)) {
			t.Empty(i)
		}
	}
}

var _ seam.Cleaner = (*Port)(nil)
