// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"sync"
	"testing"
)

type job [1]byte // with a size, so that no two share an address

func TestWorkersGetEveryJobOnceAndTheLastIdleOneFirst(t *testing.T) {
	var q Queue[job]
	one, two := make(chan *job, 1), make(chan *job, 1)
	q.idle = []chan *job{one, two}
	first, second, third := new(job), new(job), new(job)
	q.Put(first)
	q.Put(second)
	q.Put(third)
	if <-two != first || <-one != second || q.Next(one) != third {
		t.Error("the jobs did not go to the workers in order")
	}

	const jobs = 1000
	got := make(map[*job]int)
	var lock sync.Mutex
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			own := make(chan *job, 1)
			for j := q.Next(own); j != nil; j = q.Next(own) {
				lock.Lock()
				got[j]++
				lock.Unlock()
			}
		})
	}
	for range jobs {
		q.Put(new(job))
	}
	q.Close()
	workers.Wait()
	if len(got) != jobs {
		t.Errorf("%d of %d jobs were done", len(got), jobs)
	}
}

func TestFreeJobsAreTakenLastInFirstOut(t *testing.T) {
	s := NewFree([]*job{new(job), new(job)})
	a := s.Take()
	b := s.Take()
	s.Put(a)
	s.Put(b)
	if s.Take() != b || s.Take() != a {
		t.Error("the job that was put back last did not come first")
	}
	go s.Put(a)
	if s.Take() != a {
		t.Error("a job that was waited for did not come")
	}
}
