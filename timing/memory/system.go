// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// System is the baseline memory path of one machine; it implements
// seam.MemorySystem. It is used by one goroutine.
type System struct {
	machine   *arch.Machine
	clocks    Clocks
	sets      []*counters.Set // per SM
	global    *counters.Set
	watcher   seam.Watcher // nil: there is none
	offloader *offloader   // nil: none
	peers     seam.Peers   // the ends that the offloader has

	moment
	apart      apart
	ports      []*Port
	slices     []*slice
	partitions []*partition
	addresses  addressMap
	code       uint64 // added to addresses of instructions

	requestNet, replyNet network.Network
	routed               []routedNetwork
	// The next times at which the networks have something to do.
	requestDue, replyDue clock.Time
	dues                 dues

	smBits                   uint // of packet IDs, for the SM
	header, flit             int  // bytes
	headerFlits, sectorFlits uint16
	l2Geometry               cache.Geometry
	dataLine, constantLine   int
	l1Latency, l1Banks       int
	l1Bytes, l1Sector        int // bytes of all accesses of a cycle, 0: any number; and of a sector
	l1LineShift              uint
	sectorShift              uint // of the L1, where its sectors are transactions; else zero
	pieces                   bool // writes reach L2 in whole pieces
	sharedLatency            int
	wavefront                int // cycles for which a wavefront holds the banks of shared memory
	sharedBytes              int // between shared memory and registers in a cycle; zero for no limit
	constantLatency          int
	constantAddress          int // cycles from one address to the next; 0: one, whatever its width
	localThreads             int
	replies                  int // that an SM takes in a cycle
	banks                    coalesce.Banks
	coalescing               coalesce.Rule
}

// New builds the memory path of a machine. sets holds one counter set per SM;
// what belongs to no SM counts into global. The error is that of an impossible
// machine.
func New(m *arch.Machine, clocks Clocks, sets []*counters.Set, global *counters.Set) (*System, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if len(sets) != m.GPU.SMs {
		return nil, fmt.Errorf("BUG: memory: %d counter sets for %d SMs", len(sets), m.GPU.SMs)
	}
	s := &System{
		machine: m, clocks: clocks, sets: sets, global: global,
		ports: make([]*Port, m.GPU.SMs), addresses: newAddressMap(m), code: codeWindow(m),
		requestDue: clock.NeverTime, replyDue: clock.NeverTime,
		moment: moment{edges: clocks.edges(), l2Due: clock.NeverTime, dramDue: clock.NeverTime},
		smBits: smBitsFor(m.GPU.SMs), header: m.Network.HeaderBytes, flit: m.Network.FlitBytes,
		l2Geometry: cache.NewGeometry(m.L2.Slice.SectorBytes),
	}
	s.headerFlits = network.Flits(s.header, 0, s.flit)
	s.sectorFlits = network.Flits(s.header, m.L2.Slice.SectorBytes, s.flit)
	s.describePorts()
	if err := s.buildNetworks(); err != nil {
		return nil, err
	}
	s.dues.channels = clock.NewDues[clock.Time](m.L2.Partitions)
	s.dues.slices = clock.NewDues[clock.Time](m.L2.Partitions * m.L2.SlicesPerPartition)
	for n := range m.L2.Partitions {
		s.addPartition(n)
	}
	return s, nil
}

// describePorts derives what all ports share.
func (s *System) describePorts() {
	m := s.machine
	s.dataLine, s.l1Latency, s.l1Banks = m.L2.Slice.LineBytes, 1, 1
	if m.L1.Bytes > 0 {
		s.dataLine, s.l1Latency, s.l1Banks = m.L1.LineBytes, m.L1.LatencyCycles, m.L1.Banks
	}
	s.l1LineShift = uint(bits.TrailingZeros(uint(s.dataLine)))
	if m.L1.Bytes > 0 {
		s.l1Bytes, s.l1Sector = m.L1.BytesPerCycle, m.L1.SectorBytes
	}
	if m.L1.Bytes > 0 && m.L1.SectorTransactions {
		s.sectorShift = uint(bits.TrailingZeros(uint(m.L1.SectorBytes)))
	}
	s.pieces = m.L2.WritePieces
	s.constantLine, s.constantLatency = m.L2.Slice.LineBytes, 1
	if m.Constant.Bytes > 0 {
		s.constantLine, s.constantLatency, s.constantAddress = m.Constant.LineBytes, m.Constant.LatencyCycles, m.Constant.AddressCycles
	}
	s.sharedLatency, s.wavefront, s.sharedBytes = max(m.Shared.LatencyCycles, 1), max(m.Shared.WavefrontCycles, 1), m.Shared.BytesPerCycle
	s.banks = coalesce.Banks{Count: max(m.Shared.Banks, 1), WordBytes: max(m.Shared.BankBytes, 4), Packed: m.Shared.PackedReads}
	s.replies = max(m.Network.RepliesPerCycle, 1)
	s.coalescing = coalesce.Rules[m.SM.Coalescing]
	s.localThreads = 32 * ((m.SM.MaxThreads + 31) / 32)
}

func (s *System) addPartition(n int) {
	m := s.machine
	p := &partition{system: s, number: n, at: &s.moment, counts: s.global}
	if m.DRAM.Model == "simple" {
		p.channel = dram.NewSimple(&m.DRAM, m.L2.Partitions, s.clocks.DRAM.KHz, s.global, p)
	} else {
		p.channel = dram.NewBanked(&m.DRAM, s.global, p)
	}
	if m.LLC.Bytes > 0 {
		p.llc = newLevel(&m.LLC, m.L2.InputQueue, 0, llcCounts(s.global))
		p.llc.above, p.llc.below, p.llc.channel = p, p, p.channel
		s.dues.llcs = append(s.dues.llcs, clock.NeverTime)
	}
	for i := range m.L2.SlicesPerPartition {
		l := &slice{system: s, partition: p, number: n*m.L2.SlicesPerPartition + i, place: i}
		l.level = *newLevel(&m.L2.Slice, m.L2.InputQueue, m.L2.AtomicCycles, l2Counts(s.global))
		l.pieces = m.L2.WritePieces
		l.above, l.below = l, l
		l.addPrefetcher(&m.L2.Slice)
		l.addLate(&m.L2)
		if p.llc == nil {
			l.channel = p.channel
		}
		p.slices = append(p.slices, l)
		s.slices = append(s.slices, l)
	}
	s.partitions = append(s.partitions, p)
}

// Port implements seam.MemorySystem.
func (s *System) Port(sm int, to seam.Completions) (seam.Entry, error) {
	p := newPort(s, sm, to)
	s.ports[sm] = p
	return seam.Entry{Port: p, ByInstruction: p, Early: p, Locks: p, Cleaner: p, Offloader: p}, nil
}

// Path is the system with all that it can do.
func (s *System) Path() seam.Path {
	p := seam.Path{MemorySystem: s, Preloader: s, Links: s, Watchable: s, L2Cleaner: s, Offloaders: s, Certifier: s}
	if s.crossbarsOnly() {
		p.Lookahead = s
	}
	if s.machine.LLC.Bytes > 0 {
		p.LastLevel = s
	}
	return p
}

// l1Bank is the L1 bank of a line.
func (s *System) l1Bank(t *coalesce.Transaction) uint {
	if s.sectorShift > 0 {
		return uint((t.Line&^(cache.BlockBytes-1)|uint64(t.Bytes.First()))>>s.sectorShift) & uint(s.l1Banks-1)
	}
	return uint(t.Line>>s.l1LineShift) & uint(s.l1Banks-1)
}

// sectorPayload is the data of a write: whole L2 sectors.
func (s *System) sectorPayload(b cache.Bytes) int {
	return s.Sectors(b) * s.l2Geometry.SectorBytes
}

// Advance implements seam.MemorySystem.
func (s *System) Advance(t clock.Time) {
	for {
		next := s.NextEvent()
		if next > t {
			break
		}
		s.now = next
		s.step()
	}
	s.global[counters.DRAMChannelCycles] = uint64(len(s.partitions)) * uint64(t/s.clocks.DRAM.Period)
}

// NextEvent implements seam.MemorySystem.
func (s *System) NextEvent() clock.Time {
	return min(s.requestDue, s.replyDue, s.l2Due, s.dramDue)
}

// InFlight implements seam.MemorySystem.
func (s *System) InFlight() int {
	n := s.requestNet.InFlight() + s.replyNet.InFlight()
	for _, p := range s.ports {
		if p != nil {
			n += p.operations.Used() + p.requests.Used()
		}
	}
	for _, p := range s.partitions {
		n += p.channel.InFlight()
		if p.llc != nil {
			n += p.llc.inside()
		}
		if p.offered {
			n++
		}
		n += p.waiting
	}
	for _, l := range s.slices {
		n += l.level.inside() + l.local.Len() + int(l.outstanding)
	}
	return n
}

var (
	_ seam.MemorySystem = (*System)(nil)
	_ seam.LastLevel    = (*System)(nil)
	_ seam.L2Cleaner    = (*System)(nil)
)
