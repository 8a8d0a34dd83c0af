// SPDX-License-Identifier: Apache-2.0

package dispatch

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
)

// Orders are the kernel orders by name: constructors.
var Orders = seam.NewRegistry[func() seam.KernelOrder]("kernel order")

func init() {
	Orders.Open(arch.Word("gpu.kernel_order"))
	Orders.Register("leftover", func() seam.KernelOrder { return leftover{} })
	Orders.Register("round_robin", func() seam.KernelOrder { return &turns{last: -1} })
}

// leftover gives younger launches what the oldest leaves. A launch dispatches only after
// all thread blocks of the launches before it have been dispatched, as on Fermi
// (Pai, Thazhuthaveetil and Govindarajan, ASPLOS 2013, section 2.2).
type leftover struct{}

func (leftover) Next(running []seam.RunningLaunch) int {
	if running[0].Able {
		return 0
	}
	return -1
}

// turns lets the launches dispatch one thread block each in turn.
type turns struct{ last int }

func (t *turns) Next(running []seam.RunningLaunch) int {
	first, next := -1, -1
	for i, r := range running {
		switch {
		case !r.Able:
		case r.Launch > t.last && (next < 0 || r.Launch < running[next].Launch):
			next = i
		case first < 0 || r.Launch < running[first].Launch:
			first = i
		}
	}
	if next < 0 {
		next = first
	}
	if next >= 0 {
		t.last = running[next].Launch
	}
	return next
}
