// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/warptape/warptape/timing/replay"
)

const (
	// LeastMemoryBytes is the smallest budget of a process.
	LeastMemoryBytes = 256 << 20
	// replayBytes is what a replay is taken to need until it is seen: a machine of 80 SMs
	// with its decoded chunks has 80 MB, one of 15 has 50.
	replayBytes = 64 << 20
)

// memory keeps what lives in the heap within a budget: a replay begins when there is room
// for one more of those that run. One runs in any case.
type memory struct {
	budget int64 // zero: none
	live   func() int64

	mu      sync.Mutex
	room    sync.Cond
	running int
}

func newMemory(budget int64) *memory {
	m := &memory{budget: budget, live: liveBytes}
	m.room.L = &m.mu
	return m
}

// limit asks the garbage collector to keep to the budget; undo takes that back.
func (m *memory) limit() (undo func()) {
	if m.budget <= 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(m.budget)
	return func() { debug.SetMemoryLimit(before) }
}

// chunks is the part of the budget for decoded parts of traces.
func (m *memory) chunks() int64 {
	if m.budget <= 0 {
		return replay.DefaultBudgetBytes
	}
	return min(replay.DefaultBudgetBytes, m.budget/4)
}

// begin waits until a replay has room.
func (m *memory) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.running > 0 && !m.fits() {
		m.room.Wait()
	}
	m.running++
}

func (m *memory) end() {
	m.mu.Lock()
	m.running--
	m.mu.Unlock()
	m.room.Broadcast()
}

// fits reports whether another replay like those that run has room.
func (m *memory) fits() bool {
	if m.budget <= 0 {
		return true
	}
	n := int64(m.running)
	share := max(replayBytes, m.live()/n)
	return (n+1)*share <= m.budget
}

// liveBytes is what the last collection has found alive.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}
