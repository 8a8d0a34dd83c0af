// SPDX-License-Identifier: Apache-2.0

package sram

import "sync"

// memo keeps estimates: the machines of a sweep have many structures in common, and an
// estimate takes as long as a short replay. It may be used by several goroutines.
type memo struct {
	mu    sync.Mutex
	known map[Query]Estimate
}

// mostKnown bounds a memo; a full one begins anew.
const mostKnown = 1 << 14

func (m *memo) get(q Query) (Estimate, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.known[q]
	return e, ok
}

func (m *memo) put(q Query, e Estimate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= mostKnown {
		m.known = map[Query]Estimate{}
	}
	m.known[q] = e
}
