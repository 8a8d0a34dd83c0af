// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"fmt"
	"sync"

	"github.com/warptape/warptape/trace/wtape"
)

// store shares decoded chunks among replays. A chunk is decoded when the first
// replay needs it and dropped when the last has passed. When the chunks that are
// kept for replays yet to come exceed the budget, the one that was used longest
// ago goes, and is decoded again when needed.
type store struct {
	reader *wtape.Reader
	budget int64
	// large is what the chunks of more than threshold bytes may take while they are in use.
	large, threshold int64

	mu      sync.Mutex
	changed *sync.Cond
	slots   []slot
	bytes   int64 // of all decoded chunks
	clock   uint64
	free    []*wtape.Chunk
	decodes int // chunks decoded, again or not
}

// slot is the state of one chunk.
type slot struct {
	chunk    *wtape.Chunk // nil: not decoded
	decoding bool
	pins     int // replays that use it now
	ahead    int // replays that have yet to release it
	bytes    int64
	used     uint64 // store.clock at the last release
}

// freeChunks bounds the emptied chunks that are kept for their memory.
const freeChunks = 4

func newStore(r *wtape.Reader, replays int, budget, large int64) *store {
	s := &store{reader: r, budget: budget, large: large, threshold: largeChunk, slots: make([]slot, len(r.Chunks()))}
	s.changed = sync.NewCond(&s.mu)
	for i := range s.slots {
		s.slots[i].ahead = replays
	}
	return s
}

// acquire pins chunk i, decoding it if it is not there.
func (s *store) acquire(i int) (*wtape.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.slots[i]
	c.pins++
	for c.chunk == nil {
		if c.decoding {
			s.changed.Wait()
			continue
		}
		if err := s.decode(i); err != nil {
			c.pins--
			return nil, err
		}
	}
	return c.chunk, nil
}

// decode fills slot i; it lets go of the lock meanwhile.
func (s *store) decode(i int) error {
	c := &s.slots[i]
	c.decoding = true
	chunk := s.take()
	s.decodes++
	s.mu.Unlock()
	err := s.reader.ReadChunk(i, chunk)
	s.mu.Lock()
	c.decoding = false
	s.changed.Broadcast()
	if err != nil {
		return err
	}
	c.chunk = chunk
	c.bytes = chunk.Bytes()
	s.bytes += c.bytes
	s.evict()
	return s.checkLarge()
}

// checkLarge is an error when the chunks of large thread blocks that are in use at the same
// time take more memory than they may.
func (s *store) checkLarge() error {
	total, count := int64(0), 0
	for i := range s.slots {
		if c := &s.slots[i]; c.chunk != nil && c.pins > 0 && c.bytes > s.threshold {
			total += c.bytes
			count++
		}
	}
	if total <= s.large {
		return nil
	}
	return fmt.Errorf("%s: %d thread blocks that are large run at the same time on this machine and take %d MiB, where %d MiB are allowed: allow more (--large-blocks), or replay a machine of fewer cores",
		s.reader.Name(), count, total>>20, s.large>>20)
}

// largeChunk is more than a chunk takes that several thread blocks share.
const largeChunk = 256 << 20

func (s *store) take() *wtape.Chunk {
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return wtape.NewChunk()
}

// release unpins chunk i for a replay that has passed it.
func (s *store) release(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.slots[i]
	c.pins--
	c.ahead = max(c.ahead-1, 0) // a machine that had no share, as another was to replay for it
	s.clock++
	c.used = s.clock
	if c.ahead == 0 && c.pins == 0 {
		s.drop(c)
	} else {
		s.evict()
	}
}

// skip tells that a replay will not come for chunk i.
func (s *store) skip(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := &s.slots[i]; c.ahead > 0 {
		if c.ahead--; c.ahead == 0 && c.pins == 0 {
			s.drop(c)
		}
	}
}

// drop forgets a decoded chunk that no replay uses.
func (s *store) drop(c *slot) {
	if c.chunk == nil {
		return
	}
	if len(s.free) < freeChunks && c.bytes <= largeChunk/4 {
		s.free = append(s.free, c.chunk)
	}
	s.bytes -= c.bytes
	c.chunk, c.bytes = nil, 0
}

// evict drops unpinned chunks, the one used longest ago first, until the rest is
// within the budget. Pinned chunks stay: replays cannot go on without them.
func (s *store) evict() {
	for s.bytes > s.budget {
		oldest := -1
		for i := range s.slots {
			c := &s.slots[i]
			if c.chunk != nil && c.pins == 0 && (oldest < 0 || c.used < s.slots[oldest].used) {
				oldest = i
			}
		}
		if oldest < 0 {
			return
		}
		s.drop(&s.slots[oldest])
	}
}

// view is the store as one replay sees it; it implements gpu.Source.
type view struct {
	*wtape.Reader
	store  *store
	held   []bool
	passed []bool
}

func (s *store) view() *view {
	return &view{Reader: s.reader, store: s, held: make([]bool, len(s.slots)), passed: make([]bool, len(s.slots))}
}

// Acquire implements gpu.Source.
func (v *view) Acquire(_ context.Context, i int) (*wtape.Chunk, error) {
	c, err := v.store.acquire(i)
	v.held[i] = err == nil
	return c, err
}

// Release implements gpu.Source.
func (v *view) Release(i int) {
	v.held[i], v.passed[i] = false, true
	v.store.release(i)
}

// close lets go of everything, whether or not the replay came to its end.
func (v *view) close() {
	for i := range v.held {
		if v.held[i] {
			v.Release(i)
		} else if !v.passed[i] {
			v.store.skip(i)
		}
	}
}
