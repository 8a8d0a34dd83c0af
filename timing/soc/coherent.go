// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
)

// smDirectory keeps the L1s of the SMs coherent, as a system has to whose SMs and
// cores are (typSoC, Table 4.3): one may write a line, or several read it. It
// implements seam.LineDirectory. Its messages but the request itself take effect at
// once; they are counted.
type smDirectory struct {
	chip  *system
	lines *coherence.Directory
}

// Owns implements seam.LineDirectory.
func (d *smDirectory) Owns(sm int, line uint64) bool {
	holders, owned := d.lines.Holders(line)
	return owned && holders == 1<<sm
}

// Own implements seam.LineDirectory.
func (d *smDirectory) Own(now clock.Cycle, sm int, line uint64) {
	d.chip.count(countUpgrade)
	d.ask(now, sm, line, true)
}

// Share implements seam.LineDirectory. An SM that writes a line owns it already when
// it fetches what it has not written.
func (d *smDirectory) Share(now clock.Cycle, sm int, line uint64) {
	if holders, _ := d.lines.Holders(line); holders>>sm&1 == 0 {
		d.ask(now, sm, line, false)
	}
}

func (d *smDirectory) ask(now clock.Cycle, sm int, line uint64, own bool) {
	c := d.chip
	c.count(countSMDirectory)
	o := d.lines.Begin(line, sm, own)
	d.lines.End(line)
	for m := o.Probe; m != 0; m &= m - 1 {
		_, dirty := c.ports[bits.TrailingZeros64(m)].front.Probe(now, line, !own)
		switch {
		case own:
			c.count(countInvalidation)
		case dirty:
			c.count(countDowngrade)
		}
	}
}

// Left implements seam.LineDirectory.
func (d *smDirectory) Left(sm int, line uint64) { d.lines.Leave(line, sm) }
