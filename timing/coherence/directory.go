// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"fmt"
	"math/bits"
)

// MaxAgents is the largest number of private caches of a directory.
const MaxAgents = 64

// Directory knows for each line which agents (private caches, numbered from 0) hold
// it. It is an open-addressed table that grows with the lines held.
type Directory struct {
	agents int
	keys   []uint64
	places []place
	used   int // places that are taken
	shift  uint
}

// place is what is known of a line. It is empty when it has no holder and is not busy.
type place struct {
	holders uint64
	owned   bool // the one holder may write
	busy    bool
	taken   bool
}

// Order is what a request means for the others.
type Order struct {
	// Probe has a bit for each agent that is asked, and left at most in Keep.
	Probe uint64
	Keep  State
	// Grant is what the asking agent gets.
	Grant State
	// Had says that the asking agent has the line already, shared.
	Had bool
}

const least = 1 << 6 // places of an empty directory

// New makes an empty directory of so many agents, 1 to MaxAgents.
func New(agents int) *Directory {
	if agents < 1 || agents > MaxAgents {
		panic(fmt.Sprintf("BUG: coherence: a directory of %d agents, want 1 to %d", agents, MaxAgents))
	}
	d := &Directory{agents: agents}
	d.resize(least)
	return d
}

func (d *Directory) resize(n int) {
	keys, places := d.keys, d.places
	d.keys, d.places, d.used = make([]uint64, n), make([]place, n), 0
	d.shift = uint(64 - bits.TrailingZeros(uint(n)))
	for i := range places {
		if places[i].taken {
			at := d.find(keys[i])
			d.keys[at], d.places[at] = keys[i], places[i]
			d.used++
		}
	}
}

// home is where the search for a line begins (Fibonacci hashing).
func (d *Directory) home(line uint64) int { return int(line * 0x9e3779b97f4a7c15 >> d.shift) }

// find is the place of a line, or the free one where it would go.
func (d *Directory) find(line uint64) int {
	mask := len(d.keys) - 1
	at := d.home(line)
	for d.places[at].taken && d.keys[at] != line {
		at = (at + 1) & mask
	}
	return at
}

// take is the place of a line, made when there is none.
func (d *Directory) take(line uint64) *place {
	at := d.find(line)
	if !d.places[at].taken {
		if 2*(d.used+1) > len(d.keys) {
			d.resize(2 * len(d.keys))
			at = d.find(line)
		}
		d.keys[at], d.places[at] = line, place{taken: true}
		d.used++
	}
	return &d.places[at]
}

// release frees a place that says nothing, and moves up the lines that probing has placed
// behind it.
func (d *Directory) release(line uint64) {
	at := d.find(line)
	if p := &d.places[at]; !p.taken || p.busy || p.holders != 0 {
		return
	}
	mask := len(d.keys) - 1
	d.used--
	for next := (at + 1) & mask; d.places[next].taken; next = (next + 1) & mask {
		if (next-d.home(d.keys[next]))&mask >= (next-at)&mask {
			d.keys[at], d.places[at] = d.keys[next], d.places[next]
			at = next
		}
	}
	d.places[at] = place{}
}

// Busy reports whether a request of a line has begun and not ended.
func (d *Directory) Busy(line uint64) bool {
	p := &d.places[d.find(line)]
	return p.taken && p.busy
}

// Begin lets an agent ask for a line, to write or to read; the line must not be busy.
// The directory knows the outcome from then on: probes have to be made at once, the
// grant may come later, with End.
func (d *Directory) Begin(line uint64, agent int, own bool) Order {
	p := d.take(line)
	if p.busy {
		panic(fmt.Sprintf("BUG: coherence: agent %d asks for the busy line %#x", agent, line))
	}
	p.busy = true
	me := uint64(1) << agent
	o := Order{Had: p.holders&me != 0, Probe: p.holders &^ me}
	if own {
		o.Keep, o.Grant = Invalid, Exclusive
		p.holders, p.owned = me, true
		return o
	}
	o.Keep, o.Grant = Shared, Shared
	switch {
	case o.Probe == 0:
		o.Grant = Exclusive
	case !p.owned:
		o.Probe = 0 // what they have is the same as what lies below
	}
	p.holders |= me
	p.owned = o.Grant == Exclusive
	return o
}

// End ends a request: the agent has its line.
func (d *Directory) End(line uint64) {
	if p := &d.places[d.find(line)]; p.taken {
		p.busy = false
		d.release(line)
	}
}

// Leave tells that an agent has no copy of a line any more; false when the directory
// did not think that it had one.
func (d *Directory) Leave(line uint64, agent int) bool {
	p := &d.places[d.find(line)]
	me := uint64(1) << agent
	if !p.taken || p.holders&me == 0 {
		return false
	}
	p.holders, p.owned = p.holders&^me, false // who may write is the only holder
	d.release(line)
	return true
}

// Take empties a line that is not busy, for an eviction from a cache that includes
// the private ones: the agents in the mask have to be probed with Invalid.
func (d *Directory) Take(line uint64) (holders uint64) {
	p := &d.places[d.find(line)]
	if !p.taken {
		return 0
	}
	holders, p.holders, p.owned = p.holders, 0, false
	d.release(line)
	return holders
}

// Holders gives the agents that hold a line, and whether it is the only one and may
// write.
func (d *Directory) Holders(line uint64) (agents uint64, owned bool) {
	p := &d.places[d.find(line)]
	if !p.taken {
		return 0, false
	}
	return p.holders, p.owned
}

// lines is the number of lines that the directory knows something of.
func (d *Directory) lines() int { return d.used }
