// SPDX-License-Identifier: Apache-2.0

package cache

// locks are lines that must not be replaced, with how often each has been locked:
// lock counters next to the tags. A line may be locked before it is there. Of a set at
// most all ways but one are locked, so that any line finds a place.
type locks struct {
	sets  []lock // one per way, those in use first
	total int
}

type lock struct {
	line  uint64 // address | present
	count int32
}

// Lock locks a line once more; false when its set has no lock left for it.
func (t *Tags) Lock(line uint64) bool {
	if t.locks.sets == nil {
		t.locks = locks{sets: make([]lock, len(t.tags))}
	}
	set := t.lockSet(line)
	for i := range t.open - 1 {
		switch {
		case set[i].count == 0:
			set[i].line = line | present
			fallthrough
		case set[i].line == line|present:
			set[i].count++
			t.locks.total++
			return true
		}
	}
	return false
}

// Unlock takes one lock off a line that has one.
func (t *Tags) Unlock(line uint64) {
	set := t.lockSet(line)
	for i := range set {
		if set[i].count > 0 && set[i].line == line|present {
			t.locks.total--
			if set[i].count--; set[i].count == 0 {
				last := i
				for last+1 < len(set) && set[last+1].count > 0 {
					last++
				}
				set[i], set[last] = set[last], set[i]
			}
			return
		}
	}
	panic("BUG: a line is unlocked that is not locked")
}

// Locked reports whether a line is locked.
func (t *Tags) Locked(line uint64) bool {
	if t.locks.total == 0 {
		return false
	}
	for _, l := range t.lockSet(line) {
		if l.count == 0 {
			return false
		}
		if l.line == line|present {
			return true
		}
	}
	return false
}

// Locks is how many locks there are on all lines.
func (t *Tags) Locks() int { return t.locks.total }

// lockSet is the locks of the set of a line.
func (t *Tags) lockSet(line uint64) []lock {
	first := t.set(line)
	return t.locks.sets[first : first+t.ways]
}
