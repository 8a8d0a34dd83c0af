// SPDX-License-Identifier: Apache-2.0

package chunks

import "sync"

// precedents are those of a chunk's streams, for later chunks of its kernel. Another
// worker may encode one of these at the same time: it waits for each stream until it is
// known how it is stored.
type precedents struct {
	lock    sync.Mutex
	more    sync.Cond
	streams []precedent // of memory instructions; those before known are final
	known   int
}

func newPrecedents(streams int) *precedents {
	p := &precedents{streams: make([]precedent, streams)}
	p.more.L = &p.lock
	return p
}

// at waits for the precedent of a stream, nil for none.
func (p *precedents) at(memory int) *precedent {
	if p == nil {
		return nil
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.known <= memory {
		p.more.Wait()
	}
	return &p.streams[memory]
}

// add makes the precedent of the next stream known.
func (p *precedents) add(s *precedent) {
	if p == nil {
		return
	}
	p.lock.Lock()
	p.streams[p.known] = *s
	p.known++
	p.lock.Unlock()
	p.more.Broadcast()
}

// leader is the chunk of a kernel that later ones follow.
type leader struct {
	precedents *precedents
	sets       int // of explicit lanes
}

// Leaders choose, for each kernel, which chunks its chunks follow. They look only at how
// much there is in the chunks, in the order of recording, so that the choice does not depend
// on the workers. A chunk follows one that was submitted before it, so that some worker has
// that already.
type Leaders map[int]leader

// leaderGrowth is how many times as much as in its leader there must be in a chunk to
// become the leader: small chunks say little of large ones.
const leaderGrowth = 4

// AddChunk tells a chunk which one it follows, and whether others will follow it.
func (l Leaders) AddChunk(c *Raw, kernel int) {
	if c.Sets == 0 {
		return
	}
	now := l[kernel]
	c.Earlier = now.precedents
	if now.precedents == nil || c.Sets > leaderGrowth*now.sets {
		c.Precedents = newPrecedents(len(c.plan.Memory))
		l[kernel] = leader{c.Precedents, c.Sets}
	}
}
