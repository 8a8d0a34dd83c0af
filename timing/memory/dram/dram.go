// SPDX-License-Identifier: Apache-2.0

// Package dram models one DRAM channel. The banked model has row buffers, the timing
// constraints of the data sheet and a request scheduler. The simple model has bandwidth
// and access time.
//
// All times are cycles of the DRAM command clock.
package dram

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/limits"
)

// Request is one read or write of a channel.
type Request struct {
	Row   int64
	Bank  int32
	Bytes int32 // moved in whole bursts; a part of a burst costs a whole one
	Write bool
	ID    uint32 // comes back with Sink.Done
}

// Never is later than every cycle.
const Never = int64(1<<63 - 1)

// Sink is told what a channel has done.
type Sink interface {
	// Done tells that the data of a read have left the channel.
	Done(id uint32)
	// Freed tells that a channel that refused a request takes one again.
	Freed()
}

// Channel serves requests.
type Channel interface {
	// Takes reports whether Offer would take a request; a refusal is one of Offer's.
	Takes() bool
	// Offer takes the request if there is room.
	Offer(now int64, r Request) bool
	// Cycle advances the channel to cycle now and returns the next cycle in which it
	// has something to do unless Offer is called before. After Offer it has to be
	// called in the next cycle.
	Cycle(now int64) (next int64)
	// CountIn names the counters from now on.
	CountIn(set *counters.Set)
	// Certify says to which capacity its queue has come.
	Certify(c *limits.Certificate)
	// InFlight is the number of requests inside.
	InFlight() int
	// Describe says what they wait for, for a stuck replay.
	Describe() []string
}
