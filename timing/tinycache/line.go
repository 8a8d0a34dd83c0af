// SPDX-License-Identifier: Apache-2.0

package tinycache

// state of a line (Figure 5.3).
type state uint8

const (
	// invalid is I.
	invalid state = iota
	// clean is C: all half-words are valid, control bits mean nothing.
	clean
	// dirtyValid is D_v: all half-words are valid, a control bit set means dirty.
	dirtyValid
	// dirtyPartial is D_pv: half-words with the control bit set are dirty and
	// valid, the others are invalid.
	dirtyPartial
)

// line is a line's state and control bits, bit i for bytes 2i and 2i+1.
type line struct {
	state   state
	control uint64
}

// readMiss (rm) fetches a clean block.
func (l *line) readMiss() { *l = line{state: clean} }

// writeMiss (wm) allocates without fetching; all is the mask of the half-words of
// a line.
func (l *line) writeMiss(written, all uint64) {
	*l = line{state: dirtyPartial, control: written}
	l.complete(all)
}

// read (rh) reports whether the half-words are there. When they are not (rh(i))
// the block has to be fetched and merged, and the line is D_v.
func (l *line) read(wanted uint64) (there bool) {
	if l.state != dirtyPartial || wanted&^l.control == 0 {
		return true
	}
	l.state = dirtyValid
	return false
}

// write (wh) marks half-words dirty.
func (l *line) write(written, all uint64) {
	if l.state == clean {
		*l = line{state: dirtyValid, control: written}
		return
	}
	l.control |= written
	l.complete(all)
}

// complete is wh(last): the last invalid half-word has been written.
func (l *line) complete(all uint64) {
	if l.state == dirtyPartial && l.control == all {
		l.state = dirtyValid
	}
}

// replace (rpl) empties the line and gives the half-words to write back.
func (l *line) replace() (dirty uint64) {
	if l.state == dirtyValid || l.state == dirtyPartial {
		dirty = l.control
	}
	*l = line{}
	return dirty
}
