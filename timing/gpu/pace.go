// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"time"

	"github.com/warptape/warptape/timing/clock"
)

// pace finds out whether windows pay: how long the replay takes with them depends
// on what else the cores have to do. Stretches of the replay with and without
// windows take turns at being measured, by their warp instructions a second, and
// the faster way has those that follow. The result of the replay is the same.
type pace struct {
	stretch int // the present one
	end     clock.Cycle
	began   time.Time
	issued  uint64
	rate    [2]float64 // without and with windows
	better  int
	always  bool // windows in any case, for tests
}

const (
	stretchCycles  = 4096
	stretchesTried = 4  // with and without windows in turns
	stretchesKept  = 60 // with what was better
)

// pays reports whether the present stretch is one with windows.
func (p *pace) pays(g *GPU) bool {
	if p.always {
		return true
	}
	if g.now >= p.end {
		p.turn(g)
	}
	return p.way() == 1
}

// way is 1 for a stretch with windows; of those tried, that is the first.
func (p *pace) way() int {
	if p.tried() {
		return 1 - p.stretch&1
	}
	return p.better
}

// tried says that the present stretch is one of those that are measured.
func (p *pace) tried() bool { return p.stretch < stretchesTried }

// turn ends a stretch.
func (p *pace) turn(g *GPU) {
	now, issued := time.Now(), g.issued()
	if p.end > 0 {
		if p.tried() {
			rate := &p.rate[p.way()]
			*rate = max(*rate, float64(issued-p.issued+1)/now.Sub(p.began).Seconds())
		}
		p.next()
	}
	p.end, p.began, p.issued = g.now+stretchCycles, now, issued
}

// next goes on to the next stretch.
func (p *pace) next() {
	if p.stretch++; p.stretch == stretchesTried {
		p.better = 0
		if p.rate[1] > p.rate[0] {
			p.better = 1
		}
		p.rate = [2]float64{}
	}
	if p.stretch == stretchesTried+stretchesKept {
		p.stretch = 0
	}
}
