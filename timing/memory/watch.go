// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// Watch implements seam.Watchable.
func (s *System) Watch(w seam.Watcher) { s.watcher = w }

// Gauges implements seam.Watchable.
func (s *System) Gauges() []seam.Gauge {
	var list []seam.Gauge
	shared := func(format string, args ...any) {
		list = append(list, seam.Gauge{Name: fmt.Sprintf(format, args...), SM: -1})
	}
	for i := range s.ports {
		list = append(list, seam.Gauge{Name: "L1 MSHRs", SM: i}, seam.Gauge{Name: "L1 pipeline", SM: i})
	}
	shared("request network packets")
	shared("reply network packets")
	for i := range s.slices {
		shared("L2 slice %d accesses", i)
		shared("L2 slice %d MSHRs", i)
	}
	for i := range s.partitions {
		shared("DRAM channel %d requests", i)
	}
	return list
}

// Depths implements seam.Watchable.
func (s *System) Depths(into []int) {
	into = into[:0]
	for _, p := range s.ports {
		mshrs := 0
		if p.l1.misses != nil {
			mshrs = p.l1.misses.Used()
		}
		into = append(into, mshrs, p.data.Len())
	}
	into = append(into, s.requestNet.InFlight(), s.replyNet.InFlight())
	for _, l := range s.slices {
		into = append(into, l.input.Len(), l.misses.Used())
	}
	for _, p := range s.partitions {
		into = append(into, p.channel.InFlight())
	}
}

var kindNames = [...]string{read: "read", write: "write", atomic: "atomic", own: "own"}

// answered tells the watcher that the last answer of a request has come.
func (p *Port) answered(now clock.Cycle, r *request) {
	served := "L2"
	switch {
	case r.far:
		served = "DRAM"
	case r.misses+r.merges > 0 && p.system.machine.LLC.Bytes > 0:
		served = "LLC"
	case r.misses+r.merges > 0:
		served = "DRAM"
	}
	p.system.watcher.Request(now, seam.Request{SM: p.sm, Sent: r.sent, Kind: kindNames[r.kind], Served: served})
}

// missed implements above: the request waits for what is below L2.
func (s *slice) missed(origin uint32, merged bool) {
	if s.ahead.on || s.system.isOffloader(origin) {
		return // without a watcher: the slice runs apart, or an offloader asks
	}
	r := s.system.request(origin)
	if merged {
		r.merges++
	} else {
		r.misses++
	}
}

// far implements above: what the request waits for comes from DRAM.
func (s *slice) far(origin uint32) {
	if !s.ahead.on && !s.system.isOffloader(origin) {
		s.system.request(origin).far = true
	}
}

// missed implements above for the last-level cache: what the slice waits for
// comes from DRAM.
func (p *partition) missed(origin uint32, _ bool) {
	switch {
	case origin == ^uint32(0):
	case origin&userOrigin != 0:
		p.users[origin>>userShift&maxUsers].to.Missed(origin & (seam.UserIDs - 1))
	default:
		p.slices[origin>>16].distant[origin&0xffff] = true
	}
}

// far implements above: nothing lies between the last-level cache and DRAM.
func (p *partition) far(uint32) {}

var _ seam.Watchable = (*System)(nil)
