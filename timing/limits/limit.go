// SPDX-License-Identifier: Apache-2.0

// Package limits tells of a replay which other machines would have given the same one.
//
// The capacity of a queue or of a set of registers acts through one kind of test only: whether
// so many entries fill it. A replay in which no such test has found anything full goes the
// same way with every capacity that all of these tests would have found not full either.
// [Limit] is the test, and remembers what is needed to know; [Certificate] is what a replay
// has found out about all limits of its machine.
package limits

// Limit is the capacity of a part. Whatever reads the capacity reads it by Full.
type Limit struct {
	// mark is more than all numbers of entries that were found to leave room: the least
	// capacity with which all tests so far would have come to the same.
	mark     int32
	capacity int32 // its complement, which is negative, once a test has found it full
}

// New is a limit that nothing has come to.
func New(capacity int) Limit { return Limit{capacity: int32(capacity)} }

// Full reports whether n entries are as many as there may be. It costs what a comparison
// with the capacity costs, but for the few times that n is more than it has ever been.
func (l *Limit) Full(n int) bool { return n >= int(l.mark) && (l.capacity < 0 || l.full(n)) }

func (l *Limit) full(n int) bool {
	if n >= int(l.capacity) {
		l.Reach()
		return true
	}
	l.mark = int32(n) + 1
	return false
}

// Reach says that the part was found full by one who knew that without a test.
func (l *Limit) Reach() {
	if l.capacity >= 0 {
		l.mark, l.capacity = l.capacity, ^l.capacity
	}
}

// reached reports whether a test has found it full.
func (l *Limit) reached() bool { return l.capacity < 0 }

// Capacity is for messages, and to make room for entries: what it decides Full has to know.
func (l *Limit) Capacity() int { return int(max(l.capacity, ^l.capacity)) }
