// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// levelCleans is the lines that a level is to write back and drop. Stretches are
// looked through one after the other, and what they write back leaves in that
// order, too.
type levelCleans struct {
	scanning ring.Ring[levelClean]
	leaving  ring.Ring[levelClean] // begun, and not all written yet
}

// levelClean is one stretch.
type levelClean struct {
	lines seam.Lines
	next  int // line index to look at
	end   int // behind the last
	left  int // write-backs in the miss queue
	begun bool
	over  bool
	to    seam.L2Cleaned
	id    uint32
}

// cleaned takes the place of an MSHR in the write-backs of cleanLine.
const cleaned = int32(-2)

func newLevelCleans() levelCleans {
	return levelCleans{scanning: ring.New[levelClean](1), leaving: ring.New[levelClean](1)}
}

// last is the stretch that is looked through.
func (c *levelCleans) last() *levelClean { return c.leaving.At(c.leaving.Len() - 1) }

// written counts a write-back that the level below has taken: of the oldest
// stretch that has any.
func (c *levelCleans) written() {
	for i := range c.leaving.Len() {
		if x := c.leaving.At(i); x.left > 0 {
			x.left--
			return
		}
	}
}

// tell tells of the stretches that are over.
func (c *levelCleans) tell(now clock.Time) {
	for c.leaving.Len() > 0 && c.leaving.Head().over && c.leaving.Head().left == 0 {
		x := c.leaving.Pop()
		x.to.CleanedL2(now, x.id)
	}
}

// cleanLine writes one dirty line of the stretch that is looked through back; lines
// without anything dirty go in no time. False when it has to wait.
func (l *level) cleanLine() bool {
	c := l.clean.scanning.Head()
	l.lacks = false // its line may be dropped
	if !c.begun {
		c.begun = true
		c.next, c.end = l.tags.Span(c.lines.Mask, c.lines.First, c.lines.Last)
		l.clean.leaving.Push(*c)
	}
	for {
		i := l.tags.NextOf(c.next, c.end, c.lines.Mask, c.lines.First, c.lines.Last)
		if c.next = i; i == c.end {
			break
		}
		d := l.tags.Dirty(i)
		if d != 0 && l.limit.Full(l.queue.Len()) {
			return false
		}
		c.next++
		l.leavesUnused(i)
		if d != 0 {
			l.queue.Push(levelMiss{address: l.tags.Address(i), mshr: cleaned, sectors: d})
			l.clean.last().left++
			l.tags.Empty(i)
			return true
		}
		l.tags.Empty(i)
	}
	l.clean.last().over = true
	l.clean.scanning.Drop()
	return true
}

// CleanL2 implements seam.L2Cleaner, for machines with one slice: see Divert.
func (s *System) CleanL2(now clock.Time, lines seam.Lines, to seam.L2Cleaned, id uint32) {
	s.now = max(s.now, now)
	for _, l := range s.slices {
		l.clean.scanning.Push(levelClean{lines: lines, to: to, id: id})
		l.aside = true
		s.wakeSlice(l)
	}
}

// portCleans is the lines that a port is to write back and drop.
type portCleans struct {
	list    ring.Ring[portClean] // in the order in which they began
	first   uint32               // number of the first in list
	scanned int                  // of list that have been looked through
	barred  int                  // of list that have not, and hold accesses back
}

// portClean is one stretch.
type portClean struct {
	lines seam.Lines
	next  int              // line index to look at
	end   int              // behind the last
	begun bool             // next and end are known
	left  int              // write-backs without an answer
	whole bool             // AllLines: it holds accesses back
	to    seam.PortCleaned // it may be nil
	id    uint32
}

// clean begins a stretch.
func (p *Port) clean(now clock.Cycle, c portClean) {
	p.cleans.list.Push(c)
	if c.whole {
		p.cleans.barred++
	}
	p.to.Wake()
}

// Clean implements seam.Cleaner.
func (p *Port) Clean(now clock.Cycle, lines seam.Lines, to seam.PortCleaned, id uint32) {
	p.clean(now, portClean{lines: lines, whole: lines == seam.AllLines, to: to, id: id})
}

// TagRequests implements seam.Cleaner.
func (p *Port) TagRequests(bits uint64) { p.tag = bits }

// cleanLine writes back one dirty line a cycle of a stretch that has yet to be looked
// through; false when it has to wait.
func (p *Port) cleanLine(now clock.Cycle) bool {
	s := &p.cleans
	c := s.list.At(s.scanned)
	if c.whole && p.data.Len() > 0 {
		return false
	}
	t := p.l1.tags
	if !c.begun && t != nil {
		c.begun = true
		c.next, c.end = t.Span(c.lines.Mask, c.lines.First, c.lines.Last)
	}
	for ; c.next < c.end; c.next++ {
		i := t.NextOf(c.next, c.end, c.lines.Mask, c.lines.First, c.lines.Last)
		if c.next = i; i == c.end {
			break
		}
		if t.Dirty(i) != 0 {
			if p.l1.full() {
				return false
			}
			op := p.writeBackLine(now, &p.l1, i)
			p.operations.Items[op].token = s.first + uint32(s.scanned)
			c.left++
			return true
		}
		p.leaves(&p.l1, i)
		p.leavesUnused(i)
		t.Empty(i)
	}
	if c.whole {
		if s.barred--; s.barred == 0 && p.l1Ways > 0 {
			t.UseWays(p.l1Ways)
		}
	}
	s.scanned++
	p.endCleans(now)
	return true
}

// cleanedLine counts the answer to a write-back of stretch number n.
func (p *Port) cleanedLine(now clock.Cycle, n uint32) {
	p.cleans.list.At(int(n-p.cleans.first)).left--
	p.endCleans(now)
}

// endCleans tells of the stretches that are over, in the order in which they began.
func (p *Port) endCleans(now clock.Cycle) {
	s := &p.cleans
	for s.scanned > 0 && s.list.Head().left == 0 {
		c := s.list.Pop()
		s.first++
		s.scanned--
		if c.to != nil {
			c.to.Cleaned(now, c.id)
		}
	}
}

var _ seam.Cleaner = (*Port)(nil)
