// SPDX-License-Identifier: Apache-2.0

// Package counters declares every activity counter of the timing model once,
// with name, unit and meaning. Reports, result files and the energy model read
// this table; components count into a Set.
package counters

import "github.com/warptape/warptape/trace"

// ID names a counter.
type ID uint16

// Unit is what a counter counts.
type Unit string

// The units.
const (
	Instructions Unit = "warp instructions"
	Threads      Unit = "thread instructions"
	Cycles       Unit = "core cycles"
	Slots        Unit = "issue slots"
	Accesses     Unit = "accesses"
	Requests     Unit = "requests"
	Bytes        Unit = "bytes"
	Flits        Unit = "flits"
	Commands     Unit = "DRAM commands"
	DRAMCycles   Unit = "DRAM cycles"
	Blocks       Unit = "thread blocks"
	Warps        Unit = "warp cycles"
	Lanes        Unit = "lane registers"
	NetCycles    Unit = "network cycles"
	L2Cycles     Unit = "L2 cycles"
)

// Declaration is one row of the table.
type Declaration struct {
	Name    string // snake_case, unique; the column name in CSV and key in JSON
	Unit    Unit
	Meaning string
}

// Lookup finds a counter by its name.
func Lookup(name string) (ID, bool) {
	for id := range declarations {
		if declarations[id].Name == name {
			return ID(id), true
		}
	}
	for _, g := range groups {
		for i := range g.Rows {
			if g.Rows[i].Name == name {
				return g.First + ID(i), true
			}
		}
	}
	return 0, false
}

// Set holds one value per counter.
type Set [Capacity]uint64

// Add adds the counts of b to s.
func (s *Set) Add(b *Set) {
	for i, v := range b {
		s[i] += v
	}
}

// Count is the number of the baseline's counters: IDs 0..Count-1. Those that
// mechanisms register follow, see Groups.
const Count = int(end)

// Declared gives the declaration of a counter; for an ID without a counter, an
// empty one.
func Declared(id ID) Declaration {
	if id < end {
		return declarations[id]
	}
	for _, g := range groups {
		if id >= g.First && int(id-g.First) < len(g.Rows) {
			return g.Rows[id-g.First]
		}
	}
	return Declaration{}
}

// The counters.
const (
	// Front end and issue.
	IssuedWarp ID = iota
	IssuedThread
	IssueSlots
	SlotIssued
	StallIdle
	StallFetch
	StallBarrier
	StallMemory
	StallCompute
	StallUnit
	StallLSU
	StallOperand
	StallFence
	ResidentWarpCycles
	ActiveSMCycles
	FetchInstruction
	FetchMiss
	RegisterRead
	RegisterWrite
	RegisterBankConflict
	// Issued by kind of unit.
	UnitSP
	UnitInt
	UnitDP
	UnitSFU
	UnitTensor
	UnitLDST
	UnitControl
	// Thread blocks.
	BlocksDispatched
	BlocksRetired
	// Shared memory.
	SharedAccess
	SharedConflictCycles
	SharedWideCycles
	SharedBusyCycles
	RemoteSharedAccess
	// Coalescer, L1, constant.
	GlobalTransactions
	L1Read
	L1ReadHit
	L1ReadMiss
	L1ReadMerge
	L1Write
	L1WriteHit
	L1ReservationFail
	ConstantRead
	ConstantMiss
	// Network.
	RequestPackets
	RequestFlits
	ReplyPackets
	ReplyFlits
	// L2.
	L2Read
	L2ReadHit
	L2ReadMiss
	L2ReadMerge
	L2Write
	L2WriteHit
	L2WriteMiss
	L2WriteBack
	L2Atomic
	// Last-level cache.
	LLCRead
	LLCReadHit
	LLCReadMiss
	LLCReadMerge
	LLCWrite
	LLCWriteHit
	LLCWriteMiss
	LLCWriteBack
	// DRAM.
	DRAMRead
	DRAMWrite
	DRAMRowHit
	DRAMRowMiss
	DRAMActivate
	DRAMPrecharge
	DRAMReadBytes
	DRAMWriteBytes
	DRAMBusCycles
	DRAMChannelCycles
	// End to end.
	LoadLatencySum
	LoadRequests
	RequestsSent
	RequestsAnswered
	// Work by lanes, what the energy model weighs operations with.
	FetchAccess
	RegisterLaneRead
	RegisterLaneWrite
	SharedLaneRead
	SharedLaneWrite
	GlobalLane
	// Sectors of lines that a write found without them.
	L2WriteSectorMiss
	LLCWriteSectorMiss
	// Refresh, and copies of the host.
	DRAMRefresh
	CopyToDeviceBytes
	CopyToHostBytes
	CopyCycles
	// Texture cache.
	TextureRead
	TextureMiss
	TextureMerge
	// Where packets spend their time in the networks, and how far flits go.
	RequestInjectionCycles
	RequestTraversalCycles
	RequestEjectionCycles
	RequestFlitHops
	ReplyInjectionCycles
	ReplyTraversalCycles
	ReplyEjectionCycles
	ReplyFlitHops
	RouterFlits
	RouterBufferedFlits
	RouterCreditStalls
	// What a request waits for outside of the networks.
	RequestQueueCycles
	L2ServiceCycles
	ReplyQueueCycles
	// Sectors of 32 bytes of the transactions at L1.
	L1ReadHitSectors
	L1ReadMissSectors
	L1WriteHitSectors
	L1WriteMissSectors
	laneOps // the first of one counter per trace.OpClass, see LaneOps

	specialOps = laneOps + ID(trace.ClassCount) // of one counter per trace.SpecialFunction but NotSpecial, see SpecialOps

	end = specialOps + ID(trace.SpecialFunctionCount) - 1
)

// SpecialOps is the counter of those lanes of class special that compute a function; f is not
// trace.NotSpecial.
func SpecialOps(f trace.SpecialFunction) ID { return specialOps + ID(f) - 1 }

// LaneOps is the counter of the lanes of issued instructions of an operation
// class that were active and whose guard held. Those of all classes add up to
// IssuedThread.
func LaneOps(c trace.OpClass) ID { return laneOps + ID(c) }

// Sub subtracts the counts of b from s.
func (s *Set) Sub(b *Set) {
	for i, v := range b {
		s[i] -= v
	}
}
