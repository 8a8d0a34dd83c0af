package trace

import "sync"

// Jobs and workers are taken last in, first out: a recording that needs only some of
// them finds their memory in the cache, and never touches that of the others.

// jobStack is the free jobs.
type jobStack struct {
	lock sync.Mutex
	some sync.Cond
	jobs []*frameJob
}

func newJobStack(jobs int) *jobStack {
	s := new(jobStack)
	s.some.L = &s.lock
	for range jobs {
		s.jobs = append(s.jobs, frameJobs.Get().(*frameJob))
	}
	return s
}

func (s *jobStack) put(j *frameJob) {
	s.lock.Lock()
	s.jobs = append(s.jobs, j)
	s.lock.Unlock()
	s.some.Signal()
}

// take waits for a job if none is free.
func (s *jobStack) take() *frameJob {
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

// workQueue hands jobs to workers in the order in which they come.
type workQueue struct {
	lock   sync.Mutex
	jobs   []*frameJob      // that wait for a worker
	idle   []chan *frameJob // of workers that wait for a job, the one that worked last at the end
	closed bool
}

func (q *workQueue) put(j *frameJob) {
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

// close lets workers end when no job is left.
func (q *workQueue) close() {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.closed = true
	for _, worker := range q.idle {
		close(worker)
	}
}

// next waits for the next job, nil after the last. The channel is the worker's own, with
// room for one.
func (q *workQueue) next(worker chan *frameJob) *frameJob {
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
