package trace

import (
	"sync"
	"testing"
)

func TestWorkersGetEveryJobOnceAndTheLastIdleOneFirst(t *testing.T) {
	var q workQueue
	one, two := make(chan *frameJob, 1), make(chan *frameJob, 1)
	q.idle = []chan *frameJob{one, two}
	first, second, third := new(frameJob), new(frameJob), new(frameJob)
	q.put(first)
	q.put(second)
	q.put(third)
	if <-two != first || <-one != second || q.next(one) != third {
		t.Error("the jobs did not go to the workers in order")
	}

	const jobs = 1000
	got := make(map[*frameJob]int)
	var lock sync.Mutex
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			own := make(chan *frameJob, 1)
			for j := q.next(own); j != nil; j = q.next(own) {
				lock.Lock()
				got[j]++
				lock.Unlock()
			}
		})
	}
	for range jobs {
		q.put(&frameJob{ready: make(chan struct{})})
	}
	q.close()
	workers.Wait()
	if len(got) != jobs {
		t.Errorf("%d of %d jobs were done", len(got), jobs)
	}
}

func TestFreeJobsAreTakenLastInFirstOut(t *testing.T) {
	s := newJobStack(2)
	a := s.take()
	b := s.take()
	s.put(a)
	s.put(b)
	if s.take() != b || s.take() != a {
		t.Error("the job that was put back last did not come first")
	}
	go s.put(a)
	if s.take() != a {
		t.Error("a job that was waited for did not come")
	}
}
