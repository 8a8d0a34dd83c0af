// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// MissLatency is the mean time of the parts of the way of a request that leaves an
// SM, in core cycles. One that L2 answers in several packets counts in the later
// parts with each of them. Writes and what fetches instructions, constants and
// textures are among them. Parts are NaN where no request was.
type MissLatency struct {
	SMQueue  float64 // in the SM, until the network takes the request
	Network  float64 // on routers and links, both ways
	Ejection float64 // in the queues behind the networks, at either end
	Service  float64 // in L2 and below
	L2Queue  float64 // in the slice, until the network takes the reply
}

// MissLatencyOf computes the parts from the counters of a run.
func MissLatencyOf(c *counters.Set, clocks arch.Clocks) MissLatency {
	networkCycle, l2Cycle := clocks.CoreMHz/clocks.NetworkMHz, clocks.CoreMHz/clocks.L2MHz
	perRequest := func(id counters.ID) float64 { return ratio(float64(c[id]), float64(c[counters.RequestPackets])) }
	perReply := func(id counters.ID) float64 { return ratio(float64(c[id]), float64(c[counters.ReplyPackets])) }
	return MissLatency{
		SMQueue:  perRequest(counters.RequestQueueCycles) + float64(perRequest(counters.RequestInjectionCycles)*networkCycle),
		Network:  (perRequest(counters.RequestTraversalCycles) + perReply(counters.ReplyTraversalCycles)) * networkCycle,
		Ejection: (perRequest(counters.RequestEjectionCycles) + perReply(counters.ReplyEjectionCycles)) * networkCycle,
		Service:  perReply(counters.L2ServiceCycles) * l2Cycle,
		L2Queue:  float64(perReply(counters.ReplyQueueCycles)*l2Cycle) + float64(perReply(counters.ReplyInjectionCycles)*networkCycle),
	}
}

// Total is the mean round trip.
func (l MissLatency) Total() float64 {
	return l.SMQueue + l.Network + l.Ejection + l.Service + l.L2Queue
}

func (s *Section) missLatency() MissLatency {
	return MissLatencyOf((*counters.Set)(&s.Counters), s.clocks)
}

func missPart(name, title string, part func(MissLatency) float64, counted string) Declaration {
	return Declaration{
		"miss_latency_" + name + "_percent", "in " + title, "%", counted + ", of miss_latency_cycles_mean",
		func(s *Section) float64 {
			l := s.missLatency()
			return 100 * ratio(part(l), l.Total())
		},
	}
}
