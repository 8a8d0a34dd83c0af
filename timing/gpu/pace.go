// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"time"

	"github.com/warptape/warptape/timing/clock"
)

// pace finds out whether running apart pays: how long the replay takes with it depends on
// what else the cores have to do. Stretches of the replay with it and without take turns at
// being measured, by their warp instructions a second. The faster way has those that
// follow: the longer, the more often it has been the faster one. Each way has two stretches
// in a row, and the first is not measured: workers that slept wake in it, and state moves
// between the cores' caches. The result of the replay is the same.
type pace struct {
	stretch int // the present one
	kept    int // stretches that follow those tried
	end     clock.Cycle
	began   time.Time
	issued  uint64
	rate    [2]float64 // without and with
	better  int
	always  bool // apart in any case, for tests
}

const (
	stretchCycles  = 256
	stretchesTried = 4  // a pair with and one without
	fewestKept     = 28 // of what was better
	mostKept       = 1020
	// leastGain is how much faster a second core has to make a stretch to be taken: less is
	// within what two stretches differ by.
	leastGain = 1.05
)

// pays reports whether the present stretch is one of parts that run apart.
func (p *pace) pays(g *GPU) bool {
	if p.always {
		return true
	}
	if g.now >= p.end {
		p.turn(g)
	}
	return p.way() == 1
}

// way is 1 for a stretch of parts that run apart; of those tried, that is the first pair.
func (p *pace) way() int {
	if p.tried() {
		return 1 - p.stretch>>1&1
	}
	return p.better
}

// tried says that the present stretch is one of those that are compared.
func (p *pace) tried() bool { return p.stretch < stretchesTried }

// measured says that it is the second of its pair.
func (p *pace) measured() bool { return p.tried() && p.stretch&1 == 1 }

// turn ends a stretch.
func (p *pace) turn(g *GPU) {
	now, issued := time.Now(), g.issued()
	if p.end > 0 {
		if p.measured() {
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
		before := p.better
		p.better = 0
		if p.rate[1] > leastGain*p.rate[0] {
			p.better = 1
		}
		p.rate = [2]float64{}
		if p.kept *= 2; p.better != before || p.kept == 0 {
			p.kept = fewestKept
		}
		p.kept = min(p.kept, mostKept)
	}
	if p.stretch == stretchesTried+p.kept {
		p.stretch = 0
	}
}
