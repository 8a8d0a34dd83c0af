// SPDX-License-Identifier: Apache-2.0

package chunks

import "github.com/warptape/warptape/trace/internal/lanecode"

// maxPrecedents is how many streams of a chunk before are looked at.
const maxPrecedents = 4

// candidates are the streams that a stream may resemble. After the first trial that is
// the same instruction's in an earlier chunk. After the second trial those before it
// in this chunk are candidates, too: another instruction is less likely to do the
// same.
func (e *Encoder) candidates(c *Raw, memory, trial int) (all [1 + maxPrecedents]*precedent) {
	all[0] = c.Earlier.at(memory)
	n := 1
	for i := memory - 1; trial > 0 && i >= 0 && n < len(all); i-- {
		if e.precedents[i].choice.Model != lanecode.ModelFixed {
			all[n] = &e.precedents[i]
			n++
		}
	}
	return all
}

// follow finds a candidate that the trial fits, and what is known of its choice; for one
// with a table that is what the best without takes.
func (e *Encoder) follow(c *Raw, memory, trial int, t *outcome) (*precedent, triedChoice) {
	for _, p := range e.candidates(c, memory, trial) {
		if p == nil {
			continue
		}
		choice, ok := p.absolute(memory)
		if lanecode.UsesTable(choice.Model) {
			ok = ok && e.used.successors < lanecode.MaxSuccessorStreams && (choice.Model != lanecode.ModelMap || e.streams[choice.Companion].executions() > 0)
			choice = t.choice
		} else if longer(len(e.streams[memory].runs), p.runs) {
			ok = false
		}
		if !ok {
			continue
		}
		for _, x := range e.tried {
			if x.choice == choice && t.fits(&p.trials[trial], choice, x.bits) {
				return p, x
			}
		}
	}
	return nil, triedChoice{}
}

// takeOver takes the choice of the precedent that the stream follows, unless it is a table
// that knows less than it did there.
func (e *Encoder) takeOver(c *Raw, memory int) bool {
	p, s := e.known.follows, &e.streams[memory]
	if p == nil {
		return false
	}
	choice, _ := p.absolute(memory)
	if lanecode.UsesTable(choice.Model) {
		most := similarPacking * p.tableLane * float64(s.explicit)
		if !e.writeLanes(c, s, choice, newPatience(len(s.runs), most)) || lanecode.CountedBits(e.lanes.Counted.Used()) > most {
			e.known = e.sample(c, memory, e.known.shift, false)
			return false
		}
	}
	now := &e.precedents[memory]
	dense := now.dense
	*now = *p
	now.memory, now.choice, now.dense = memory, choice, dense
	return true
}
