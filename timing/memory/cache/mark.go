// SPDX-License-Identifier: Apache-2.0

package cache

// Mark marks the line at index i. The mark stays with the line until Unmark, or until
// the line leaves the cache.
func (t *Tags) Mark(i int) { t.state[i].flags |= marked }

// Unmark takes the mark off.
func (t *Tags) Unmark(i int) { t.state[i].flags &^= marked }

// Marked reports whether the line at index i is there and has a mark.
func (t *Tags) Marked(i int) bool { return t.state[i].flags&marked != 0 && t.Present(i) }

// Leaves gives the line index whose line makes room now for one that misses, -1 for
// none: it is what Victim gives unless that is free.
func (t *Tags) Leaves(line uint64) int {
	if i := t.Victim(line); i >= 0 && t.Present(i) {
		return i
	}
	return -1
}

// Displaces gives the line index whose line makes room when sectors of line index i
// come, -1 for none. Only a line that waits in the fill buffer displaces one, when the last of its
// sectors comes.
func (t *Tags) Displaces(i int, coming Sectors) int {
	if !t.fillBuffer.on || i < t.fillBuffer.first || t.state[i].pending != coming {
		return -1
	}
	if to := t.oldest(t.Address(i)); to >= 0 && t.Present(to) {
		return to
	}
	return -1
}

// TakeLost gives how many marked lines have made room since it was last asked for lines
// of the fill buffer that had no place when they came.
func (t *Tags) TakeLost() int {
	n := t.fillBuffer.lost
	t.fillBuffer.lost = 0
	return n
}
