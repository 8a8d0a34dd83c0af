// SPDX-License-Identifier: Apache-2.0

package statistics

import "math/bits"

// maxReuseLines bounds how many lines a reuseStack remembers: 512 MiB of 128-byte
// lines, for which it takes about 200 MB.
const maxReuseLines = 1 << 22

// ReuseBuckets is the number of buckets of a reuse-distance histogram: distance 0,
// then 1, 2 to 3, 4 to 7, and so on by powers of two.
const ReuseBuckets = 24

// reuseStack measures exact LRU stack distances: how many distinct lines were
// touched since the last access to a line. It keeps the time of each line's last
// access and a Fenwick tree over time that counts the lines last touched then
// (Bennett and Kruskal 1975). When time runs out the times are renumbered, so
// memory depends on the number of lines only.
type reuseStack struct {
	last  map[uint64]uint32 // line to the time of its last access
	lines []uint64          // by time: the line
	tree  []uint32          // Fenwick, of the times that are some line's last
	now   int
	limit int
	// forgotten is set once a line was dropped because of the limit.
	forgotten bool
}

func newReuseStack(limit int) *reuseStack {
	s := &reuseStack{last: map[uint64]uint32{}, limit: limit}
	s.resize(min(1<<12, 2*limit))
	return s
}

func (s *reuseStack) resize(times int) {
	s.lines = append(make([]uint64, 0, times), s.lines[:s.now]...)[:times]
	s.tree = make([]uint32, times+1)
	for t := range s.now {
		s.add(t, 1)
	}
}

func (s *reuseStack) add(time int, n uint32) {
	for i := time + 1; i < len(s.tree); i += i & -i {
		s.tree[i] += n
	}
}

// upTo counts the lines last touched at times 0 to time.
func (s *reuseStack) upTo(time int) (n uint32) {
	for i := time + 1; i > 0; i -= i & -i {
		n += s.tree[i]
	}
	return n
}

// touch accesses a line and returns its distance; false for the first access.
func (s *reuseStack) touch(line uint64) (distance int, again bool) {
	if s.now == len(s.lines) {
		s.renumber()
	}
	time, again := s.last[line]
	if again {
		distance = len(s.last) - int(s.upTo(int(time)))
		s.add(int(time), ^uint32(0)) // minus 1
	}
	s.last[line] = uint32(s.now)
	s.lines[s.now] = line
	s.add(s.now, 1)
	s.now++
	return distance, again
}

// renumber drops the times that are no line's last, and the oldest lines beyond
// the limit.
func (s *reuseStack) renumber() {
	excess := max(0, len(s.last)-s.limit)
	s.forgotten = s.forgotten || excess > 0
	n := 0
	for t, line := range s.lines[:s.now] {
		if s.last[line] != uint32(t) {
			continue
		}
		if excess > 0 {
			excess--
			delete(s.last, line)
			continue
		}
		s.last[line] = uint32(n)
		s.lines[n] = line
		n++
	}
	s.now = n
	s.resize(max(len(s.lines), 2*n))
}

// reuseBucket is the histogram bucket of a distance.
func reuseBucket(distance int) int { return min(bits.Len(uint(distance)), ReuseBuckets-1) }
