// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/ring"
)

// fraction is the number of binary places of the bus time of the simple model.
const fraction = 20

// Simple is a channel with a bandwidth and an access time, in order of arrival,
// as the GPSim thesis (section 3.4) models memory.
type Simple struct {
	sink    Sink
	perByte int64 // bus time of a byte, in 2^-fraction cycles
	access  int64 // cycles
	busy    int64 // the bus is taken until then, in 2^-fraction cycles
	queue   ring.Ring[Request]
	limit   limits.Limit // of the queue
	data    ring.Ring[datum]
	refused bool
	inside  int
	counts  *counters.Set
}

// NewSimple makes one of channels equal channels of a machine whose model is
// "simple" and whose command clock runs at khz.
func NewSimple(d *arch.DRAM, channels int, khz uint64, counts *counters.Set, sink Sink) *Simple {
	cyclesPerByte := float64(khz) * 1e3 * float64(channels) / (d.GigabytesPerSecond * 1e9)
	return &Simple{
		sink: sink, counts: counts,
		perByte: max(int64(math.Round(cyclesPerByte*(1<<fraction))), 1),
		access:  int64(math.Ceil(d.AccessNanoseconds * float64(khz) / 1e6)),
		queue:   ring.New[Request](d.Queue), limit: limits.New(d.Queue), data: ring.New[datum](64),
	}
}

// Offer implements Channel.
func (s *Simple) Offer(now int64, r Request) bool {
	if !s.Takes() {
		return false
	}
	s.queue.Push(r)
	s.inside++
	return true
}

// CountIn implements Channel.
func (s *Simple) CountIn(set *counters.Set) { s.counts = set }

// InFlight implements Channel.
func (s *Simple) InFlight() int { return s.inside }

// Cycle implements Channel.
func (s *Simple) Cycle(now int64) int64 {
	for s.data.Len() > 0 && s.data.Head().at <= now {
		id := s.data.Pop().id
		s.inside--
		s.sink.Done(id)
	}
	for s.queue.Len() > 0 && s.busy>>fraction <= now {
		s.start(now, s.queue.Pop())
		if s.refused {
			s.refused = false
			s.sink.Freed()
		}
	}
	next := Never
	if s.data.Len() > 0 {
		next = s.data.Head().at
	}
	if s.queue.Len() > 0 {
		next = min(next, s.busy>>fraction)
	}
	return next
}

// start gives the bus to a request; its data are there an access time after
// their last byte has had its turn.
func (s *Simple) start(now int64, r Request) {
	before := s.busy
	s.busy = max(s.busy, now<<fraction) + int64(r.Bytes)*s.perByte
	s.counts[counters.DRAMBusCycles] += uint64(s.busy>>fraction - max(before>>fraction, now))
	if r.Write {
		s.counts[counters.DRAMWrite]++
		s.counts[counters.DRAMWriteBytes] += uint64(r.Bytes)
		s.inside--
		return
	}
	s.counts[counters.DRAMRead]++
	s.counts[counters.DRAMReadBytes] += uint64(r.Bytes)
	s.data.Push(datum{at: (s.busy+1<<fraction-1)>>fraction + s.access, id: r.ID})
}
