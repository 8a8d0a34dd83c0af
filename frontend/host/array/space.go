// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"
)

// Space bounds the memory that the arrays of one host program hold together.
// Arrays that the program has dropped are given back by the garbage collector.
type Space struct {
	limit  uint64
	used   *atomic.Int64 // apart, for cleanups, which keep what they reach
	thread *starlark.Thread
	shared [len(shares)]*booking // what new arrays of each of the sizes are booked in
	// literal has every operation done at once, for tests.
	literal bool
}

// NewSpace makes a space of at most limit bytes.
func NewSpace(limit uint64) *Space { return &Space{limit: limit, used: new(atomic.Int64)} }

// threadKey is where a thread keeps its Space.
const threadKey = "warptape.array.space"

// Attach makes the arrays that thread creates count towards s, and the work on
// them towards the thread's steps.
func (s *Space) Attach(thread *starlark.Thread) {
	s.thread = thread
	thread.SetLocal(threadKey, s)
}

// elementsPerStep is how many elements cost as much as a Starlark step.
const elementsPerStep = 16

// Work charges the thread for an operation on so many elements.
func (s *Space) Work(elements uint64) {
	if s.thread != nil {
		s.thread.Steps += elements / elementsPerStep
	}
}

func spaceOf(thread *starlark.Thread) *Space {
	s, ok := thread.Local(threadKey).(*Space)
	if !ok {
		panic("BUG: a thread without array.Space.Attach")
	}
	return s
}

// Take books bytes until Release.
func (s *Space) Take(bytes uint64) error {
	if err := s.room(bytes); err != nil {
		return err
	}
	s.used.Add(int64(bytes))
	return nil
}

// room checks that there are bytes left, if need be after a collection.
func (s *Space) room(bytes uint64) error {
	for attempt := range 6 {
		if bytes <= s.limit && uint64(s.used.Load()) <= s.limit-bytes {
			return nil
		}
		// Dropped arrays come back only after a collection, and their cleanups
		// run a little later than it.
		runtime.GC()
		time.Sleep(time.Duration(attempt) * time.Millisecond)
	}
	return fmt.Errorf("out of memory: %d bytes more would exceed the host program's limit of %d bytes: choose a smaller size", bytes, s.limit)
}

// Release gives bytes back.
func (s *Space) Release(bytes uint64) { s.used.Add(-int64(bytes)) }
