// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// CountByInstruction implements seam.InstructionCounter.
func (p *Port) CountByInstruction(byInstruction []counters.Set) {
	p.byInstruction = byInstruction
	p.observed = byInstruction != nil || p.prefetch != nil
}

// lookupCounters are those of a port that count what a transaction or access
// does at once.
var lookupCounters = [...]counters.ID{
	counters.GlobalTransactions, counters.L1Read, counters.L1ReadHit, counters.L1ReadMiss, counters.L1ReadMerge, counters.L1Write, counters.L1WriteHit,
	counters.ConstantRead, counters.ConstantMiss, counters.SharedAccess, counters.SharedConflictCycles, counters.SharedWideCycles, counters.SharedBusyCycles,
	counters.L1ReadHitSectors, counters.L1ReadMissSectors, counters.L1WriteHitSectors, counters.L1WriteMissSectors,
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

// chargeInstruction adds what the port has counted since before to an instruction.
func (p *Port) chargeInstruction(instruction uint32, before *lookupCounts) {
	if int64(instruction) >= int64(len(p.byInstruction)) {
		return
	}
	set := &p.byInstruction[instruction]
	for i, id := range lookupCounters {
		set[id] += p.counts[id] - before[i]
	}
}

// charged is access, told to the prefetcher and counted by instruction where there is
// one and that is asked for.
func (p *Port) charged(now clock.Cycle, a *lineAccess) bool {
	p.instruction = p.operations.Items[a.op].instruction
	if !p.observed {
		return p.access(now, a)
	}
	if p.byInstruction == nil {
		return p.told(now, a)
	}
	before := p.lookups()
	done := p.told(now, a)
	p.chargeInstruction(p.instruction, &before)
	return done
}

// chargeAnswer adds what a request has caused beyond the port to the instruction
// that caused it.
func (p *Port) chargeAnswer(r *request) {
	if int64(r.cause) >= int64(len(p.byInstruction)) {
		return
	}
	s, set := p.system, &p.byInstruction[r.cause]
	sectors := uint64(bits.OnesCount8(uint8(s.l2Geometry.Touched(r.bytes) | r.more)))
	payload, back := 0, s.sectorFlits
	if r.kind != read {
		payload = s.payload(r)
	}
	if r.kind == write {
		back = s.headerFlits
	}
	set[counters.RequestFlits] += uint64(network.Flits(s.header, payload, s.flit))
	set[counters.ReplyFlits] += sectors * uint64(back)
	set[counters.RequestsSent]++
	if s.machine.LLC.Bytes == 0 {
		set[counters.DRAMReadBytes] += uint64(r.misses) * uint64(s.l2Geometry.SectorBytes)
	}
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
}

var _ seam.InstructionCounter = (*Port)(nil)
