// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"time"

	"github.com/warptape/warptape/cmd/results"
)

// Times of processes that work on one sweep. A network file system shows a change to
// other nodes after a minute at most (attributes are cached so long, nfs(5)). Expiry is
// longer, so that none is taken for dead whose beat is on its way.
const (
	beatEvery   = 5 * time.Second
	lookEvery   = time.Second
	expiry      = 90 * time.Second
	publishSoon = 250 * time.Millisecond
)

// watch tells which processes live, by what it sees itself: one of its own place by the
// kernel, any other by its beat. No clock of another node counts.
type watch struct {
	now  func() time.Time
	seen map[string]sighting // by process
}

// sighting is when a beat was seen first.
type sighting struct {
	beat uint64
	at   time.Time
	// grew: an earlier beat was seen, too.
	grew bool
}

func newWatch() *watch { return &watch{now: time.Now, seen: map[string]sighting{}} }

// state of a process.
type state int

const (
	dead    state = iota
	unknown       // seen for less than expiry, and not known to beat
	living
)

// look notes what a process tells.
func (w *watch) look(p *results.Process) state {
	if p.Place != "" && p.Place == place() {
		if runs(p.PID, p.Birth) {
			return living
		}
		return dead
	}
	now := w.now()
	s, known := w.seen[p.ID]
	if !known || s.beat != p.Beat {
		s = sighting{beat: p.Beat, at: now, grew: known}
		w.seen[p.ID] = s
	}
	switch {
	case now.Sub(s.at) >= expiry:
		return dead
	case s.grew:
		return living
	}
	return unknown
}
