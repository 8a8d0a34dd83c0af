// SPDX-License-Identifier: Apache-2.0

// Package jobs has what hands jobs around: the stack of the free ones and the queue of
// those that wait for a worker. Jobs and workers are taken last in, first out: a recording
// that needs only some of them finds their memory in the cache, and never touches that of
// the others.
package jobs

import "sync"

// Free is the jobs that no worker has.
type Free[Job any] struct {
	lock sync.Mutex
	some sync.Cond
	jobs []*Job
}

// NewFree returns a stack with the jobs.
func NewFree[Job any](jobs []*Job) *Free[Job] {
	s := &Free[Job]{jobs: jobs}
	s.some.L = &s.lock
	return s
}

// Put gives a job back.
func (s *Free[Job]) Put(j *Job) {
	s.lock.Lock()
	s.jobs = append(s.jobs, j)
	s.lock.Unlock()
	s.some.Signal()
}

// Take waits for a job if none is free.
func (s *Free[Job]) Take() *Job {
	s.lock.Lock()
	defer s.lock.Unlock()
	for len(s.jobs) == 0 {
		s.some.Wait()
	}
	last := len(s.jobs) - 1
	j := s.jobs[last]
	s.jobs = s.jobs[:last]
	return j
}

// TakeAll empties the stack, without waiting.
func (s *Free[Job]) TakeAll() []*Job {
	s.lock.Lock()
	defer s.lock.Unlock()
	all := s.jobs
	s.jobs = nil
	return all
}

// Queue hands jobs to workers in the order in which they come.
type Queue[Job any] struct {
	lock   sync.Mutex
	jobs   []*Job      // that wait for a worker
	idle   []chan *Job // of workers that wait for a job, the one that worked last at the end
	closed bool
}

// Put hands a job over.
func (q *Queue[Job]) Put(j *Job) {
	q.lock.Lock()
	defer q.lock.Unlock()
	last := len(q.idle) - 1
	if last < 0 {
		q.jobs = append(q.jobs, j)
		return
	}
	q.idle[last] <- j // there is room for one
	q.idle = q.idle[:last]
}

// Close lets workers end when no job is left.
func (q *Queue[Job]) Close() {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.closed = true
	for _, worker := range q.idle {
		close(worker)
	}
}

// Next waits for the next job, nil after the last. The channel is the worker's own, with
// room for one.
func (q *Queue[Job]) Next(worker chan *Job) *Job {
	q.lock.Lock()
	if len(q.jobs) > 0 {
		j := q.jobs[0]
		q.jobs = append(q.jobs[:0], q.jobs[1:]...) // they are few
		q.lock.Unlock()
		return j
	}
	if q.closed {
		q.lock.Unlock()
		return nil
	}
	q.idle = append(q.idle, worker)
	q.lock.Unlock()
	return <-worker
}
