// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"sync"

	"github.com/warptape/warptape/cmd/sweep"
)

// sweepMeter shows how far a sweep is, with rate and time left, on a terminal; lines of
// what happens stand above it.
type sweepMeter struct {
	w     io.Writer
	quiet bool

	mu    sync.Mutex
	bar   *meter
	total uint64
}

// update moves the bar; the first call makes it, since only then is the total known.
func (m *sweepMeter) update(p sweep.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar == nil {
		m.bar = newMeter(m.w, m.quiet, int64(p.Total), "sweep")
		m.total = p.Total
	}
	if m.bar.bar == nil {
		return
	}
	if m.total != p.Total { // another process has made some points
		m.total = p.Total
		m.bar.bar.ChangeMax64(int64(p.Total))
	}
	what := fmt.Sprintf("%d of %d points", p.Present+p.Made+p.Others+p.Refused, p.Wanted)
	if p.Failed > 0 {
		what += fmt.Sprintf(", %d failed", p.Failed)
	}
	if p.Trace != "" {
		what += ", " + p.Trace
	}
	m.bar.bar.Describe(what)
	m.bar.set(min(p.Instructions, p.Total))
}

// say prints a line above the bar.
func (m *sweepMeter) say(line string) {
	if m.quiet {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil && m.bar.bar != nil {
		_ = m.bar.bar.Clear()
	}
	fmt.Fprintln(m.w, line)
}

func (m *sweepMeter) done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		m.bar.done()
	}
}
