package replay

import "github.com/warptape/warptape/timing/counters"

// missLatencyPart is a part of the way of an L1 miss to L2 and back.
type missLatencyPart int

const (
	partSMQueue  missLatencyPart = iota // in the SM, until the network takes the request
	partNetwork                         // on routers and links, both ways
	partEjection                        // behind the networks, at either end
	partService                         // in L2 and below
	partL2Queue                         // in the slice, until the network takes the reply
	missParts
)

// missLatency is the mean time of each part, in core cycles. A request that L2
// answers in several packets counts in the later parts with each of them. Writes
// and what fetches instructions, constants and textures are among them.
type missLatency [missParts]float64

func newMissLatency(s *Section) missLatency {
	requests, replies := s.count(counters.RequestPackets), s.count(counters.ReplyPackets)
	network := func(request, reply counters.ID) float64 {
		return (ratio(s.count(request), requests) + ratio(s.count(reply), replies)) * s.networkCycle
	}
	return missLatency{
		partSMQueue:  ratio(s.count(counters.RequestQueueCycles), requests) + ratio(s.count(counters.RequestInjectionCycles), requests)*s.networkCycle,
		partNetwork:  network(counters.RequestTraversalCycles, counters.ReplyTraversalCycles),
		partEjection: network(counters.RequestEjectionCycles, counters.ReplyEjectionCycles),
		partService:  ratio(s.count(counters.L2ServiceCycles), replies) * s.l2Cycle,
		partL2Queue:  ratio(s.count(counters.ReplyQueueCycles), replies)*s.l2Cycle + ratio(s.count(counters.ReplyInjectionCycles), replies)*s.networkCycle,
	}
}

func (l missLatency) total() float64 {
	sum := 0.0
	for _, part := range l {
		sum += part
	}
	return sum
}

func missPart(name, title string, part missLatencyPart, counted string) Declaration {
	return Declaration{
		"miss_latency_" + name + "_percent", "of which " + title, "%", counted + ", of miss_latency_cycles_mean",
		func(s *Section) float64 {
			l := newMissLatency(s)
			return 100 * ratio(l[part], l.total())
		},
	}
}
