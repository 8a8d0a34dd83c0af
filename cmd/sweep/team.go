// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"crypto/rand"
	"hash/fnv"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/warptape/warptape/cmd/results"
)

// team are the processes that make the same points of a sweep in one folder. Each tells
// which points it replays now, and leaves those of the others alone. No process waits for a
// dead one, and where two make one point both write the same bytes: what a process
// tells only saves work. So it is no error when it cannot be told.
type team struct {
	store *results.Store
	sweep string
	began time.Time
	stop  chan struct{}
	ended sync.WaitGroup

	mu        sync.Mutex // guards the rest
	self      results.Process
	claims    map[string]bool
	changed   bool // since published
	published time.Time
	watch     *watch
	looked    time.Time
	members   []results.Process // the others
	taken     map[string]bool   // claims of the others
}

// join announces this process and lets it beat until leave.
func join(store *results.Store, sweep string, shard, shards int) *team {
	host, _ := os.Hostname()
	born, _ := birth(os.Getpid())
	t := &team{
		store: store, sweep: sweep, began: time.Now(), stop: make(chan struct{}), claims: map[string]bool{}, watch: newWatch(),
		self: results.Process{ID: rand.Text(), Host: host, PID: os.Getpid(), Place: place(), Birth: born, Shard: shard, Shards: shards},
	}
	t.publish()
	t.ended.Go(t.beat)
	return t
}

// beat publishes what has changed, and now and then that nothing has.
func (t *team) beat() {
	tick := time.NewTicker(publishSoon)
	defer tick.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-tick.C:
		}
		t.mu.Lock()
		due := t.changed || time.Since(t.published) >= beatEvery
		t.mu.Unlock()
		if due {
			t.publish()
		}
	}
}

// publish writes the file of this process.
func (t *team) publish() {
	t.mu.Lock()
	t.self.Beat++
	t.self.Seconds = time.Since(t.began).Seconds()
	t.self.Claims = t.self.Claims[:0]
	for key := range t.claims {
		t.self.Claims = append(t.self.Claims, key)
	}
	slices.Sort(t.self.Claims)
	t.changed, t.published = false, time.Now()
	p := t.self
	p.Claims = slices.Clone(p.Claims)
	t.mu.Unlock()
	_ = t.store.PutProcess(t.sweep, &p)
}

// leave removes the file of this process, and with all set those of dead ones.
func (t *team) leave(all bool) {
	close(t.stop)
	t.ended.Wait()
	_ = t.store.RemoveProcess(t.sweep, &t.self)
	if !all {
		return
	}
	list, _ := t.store.Processes(t.sweep, "")
	for i := range list {
		if t.watch.look(&list[i]) == dead {
			_ = t.store.RemoveProcess(t.sweep, &list[i])
		}
	}
}

// told notes progress.
func (t *team) told(p *Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.self.Instructions, t.self.Made, t.self.Failed, t.self.Trace = p.Instructions, p.Made, p.Failed, p.Trace
	t.changed = true
}

// claim takes a point unless a living process has it.
func (t *team) claim(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look()
	if t.taken[key] {
		return false
	}
	t.claims[key], t.changed = true, true
	return true
}

// others reports whether a living process replays a point.
func (t *team) others(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look()
	return t.taken[key]
}

func (t *team) release(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.claims, key)
	t.changed = true
}

// look finds the claims of the others, once in lookEvery.
func (t *team) look() {
	if !t.looked.IsZero() && time.Since(t.looked) < lookEvery {
		return
	}
	t.looked = time.Now()
	list, err := t.store.Processes(t.sweep, results.Part(t.self.Shard, t.self.Shards))
	if err != nil {
		return
	}
	t.members, t.taken = nil, map[string]bool{}
	for i := range list {
		p := &list[i]
		if p.ID == t.self.ID || t.watch.look(p) == dead {
			continue
		}
		t.members = append(t.members, *p)
		for _, key := range p.Claims {
			t.taken[key] = true
		}
	}
}

// company reports whether other processes make the same points.
func (t *team) company() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look()
	return len(t.members) > 0
}

// start is where in a list of n this process begins, so that several processes meet late.
func (t *team) start(n int) int {
	if n == 0 || !t.company() {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(t.self.ID))
	return int(h.Sum32() % uint32(n))
}
