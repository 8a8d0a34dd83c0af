// SPDX-License-Identifier: Apache-2.0

// Package dispatch assigns thread blocks to SMs.
package dispatch

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// Policies are the dispatch policies by name: constructors for a number of SMs.
var Policies = seam.NewRegistry[func(sms int) seam.Dispatcher]("dispatch policy")

func init() {
	Policies.Open(arch.Word("gpu.dispatch"))
	Policies.Register("round_robin", func(sms int) seam.Dispatcher { return &roundRobin{sms: sms} })
	Policies.Register("round_robin_anew", func(sms int) seam.Dispatcher { return &anew{roundRobin{sms: sms}} })
	Policies.Register("lowest", func(sms int) seam.Dispatcher { return lowest(sms) })
}

// lowest gives each thread block to the SM with the lowest number that has room.
type lowest int

func (lowest) Begin(int, uint64, seam.Footprint) {}

func (d lowest) Next(_ clock.Cycle, _ int, fits func(sm int) bool) int {
	for sm := range int(d) {
		if fits(sm) {
			return sm
		}
	}
	return -1
}

func (lowest) Retired(clock.Cycle, int, int, uint64) {}

func (lowest) End(int) {}

// roundRobin gives each thread block to the next SM, in circular order, that has
// room. The order goes on from launch to launch.
type roundRobin struct{ sms, next int }

func (d *roundRobin) Begin(int, uint64, seam.Footprint) {}

func (d *roundRobin) Next(_ clock.Cycle, _ int, fits func(sm int) bool) int {
	for i := range d.sms {
		sm := d.next + i
		if sm >= d.sms {
			sm -= d.sms
		}
		if fits(sm) {
			d.next = (sm + 1) % d.sms
			return sm
		}
	}
	return -1
}

// anew is roundRobin whose order begins with the first SM for each launch.
type anew struct{ roundRobin }

func (d *anew) Begin(int, uint64, seam.Footprint) { d.next = 0 }

func (d *roundRobin) Retired(clock.Cycle, int, int, uint64) {}

func (d *roundRobin) End(int) {}
