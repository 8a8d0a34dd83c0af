package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// CountLines implements seam.LineCounter.
func (p *Port) CountLines(lines []counters.Set) {
	p.lines = lines
	p.observed = lines != nil || p.prefetch != nil
}

// lookupCounters are those of a port that count what a transaction or access
// does at once.
var lookupCounters = [...]counters.ID{
	counters.GlobalTransactions, counters.L1Read, counters.L1ReadHit, counters.L1ReadMiss, counters.L1ReadMerge, counters.L1Write, counters.L1WriteHit,
	counters.ConstantRead, counters.ConstantMiss, counters.SharedAccess, counters.SharedConflictCycles,
}

// lookupCounts holds one value per lookup counter.
type lookupCounts [len(lookupCounters)]uint64

// lookups gives the present counts.
func (p *Port) lookups() (c lookupCounts) {
	for i, id := range lookupCounters {
		c[i] = p.counts[id]
	}
	return c
}

// chargeLine adds what the port has counted since before to an instruction.
func (p *Port) chargeLine(line uint32, before *lookupCounts) {
	if int64(line) >= int64(len(p.lines)) {
		return
	}
	set := &p.lines[line]
	for i, id := range lookupCounters {
		set[id] += p.counts[id] - before[i]
	}
}

// charged is access, told to the prefetcher and counted by instruction where there is
// one and that is asked for.
func (p *Port) charged(now clock.Cycle, a *lineAccess) bool {
	p.line = p.operations.Items[a.op].line
	if !p.observed {
		return p.access(now, a)
	}
	if p.lines == nil {
		return p.told(now, a)
	}
	before := p.lookups()
	done := p.told(now, a)
	p.chargeLine(p.line, &before)
	return done
}

// answeredLine adds what a request has caused beyond the port to the instruction
// that caused it.
func (p *Port) answeredLine(r *request) {
	if int64(r.cause) >= int64(len(p.lines)) {
		return
	}
	s, set := p.system, &p.lines[r.cause]
	sectors := uint64(bits.OnesCount8(uint8(s.l2Geometry.Touched(r.bytes))))
	payload, back := 0, s.sectorFlits
	if r.kind != read {
		payload = s.sectorPayload(r.bytes)
	}
	if r.kind == write {
		back = s.headerFlits
	}
	set[counters.RequestFlits] += uint64(network.Flits(s.header, payload, s.flit))
	set[counters.ReplyFlits] += sectors * uint64(back)
	set[counters.RequestsSent]++
	if r.kind == write {
		set[counters.L2Write] += sectors
		return
	}
	if r.kind == atomic {
		set[counters.L2Atomic] += sectors
	}
	set[counters.L2Read] += sectors
	set[counters.L2ReadMiss] += uint64(r.misses)
	set[counters.L2ReadMerge] += uint64(r.merges)
	set[counters.L2ReadHit] += sectors - uint64(r.misses) - uint64(r.merges)
	if s.machine.LLC.Bytes == 0 {
		set[counters.DRAMReadBytes] += uint64(r.misses) * uint64(s.l2Geometry.SectorBytes)
	}
}

var _ seam.LineCounter = (*Port)(nil)
