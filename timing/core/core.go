// SPDX-License-Identifier: Apache-2.0

package core

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Core is one core of a machine. All cores of a machine are of one kind.
type Core interface {
	// ID is the core's number, from zero on.
	ID() int
	// Counters is the core's own set, which its memory port shares.
	Counters() *counters.Set
	// Entry is the core's way into the memory path.
	Entry() seam.Entry

	Driven
	Executor
	Host
	Progress
}

// Driven is how a core and its driver find each other.
type Driven interface {
	// DrivenBy gives the alarm of the driver, of the next cycle in which it is called;
	// events lower it.
	DrivenBy(wake clock.Alarm[clock.Cycle])
	// Driven reports whether the core has a driver.
	Driven() bool
	// TimedBy names the place where the present core cycle is kept.
	TimedBy(now *clock.Cycle)
	// Wake has the memory port, and with it the driver, called in the present cycle, or
	// in the next when the port has had it.
	Wake()
	// AdvancePort runs the memory port alone, on a core without thread blocks, when it
	// has work in the cycle now; it gives the next cycle in which it has.
	AdvancePort(now clock.Cycle) clock.Cycle
}

// Executor is a core as launches see it.
type Executor interface {
	// Begin readies a core without thread blocks for a launch of the program, which its
	// own kind has compiled, with its division of L1 and shared memory.
	Begin(p Program, d seam.Division)
	// CountByInstruction names the counters of each recorded instruction of the launch that
	// follows, which the core and its port then keep in addition to their own; nil for none.
	// Several cores of a machine may share them.
	CountByInstruction(byInstruction []counters.Set)
	// Collect adds what has been counted by instruction since the launch began, or since
	// the last call, to the core's counters and to profile
	// (profile[instruction*counters.CauseCount+cause], by recorded instruction).
	Collect(profile []uint64)
	// End closes a launch: it collects, and tells the memory path.
	End(now clock.Cycle, profile []uint64)
	// Issued is the number of warp instructions that the core has ever issued.
	Issued() uint64
}

// Host is a core as thread blocks see it.
type Host interface {
	// Fits reports whether a thread block of the given needs has room.
	Fits(need *seam.Footprint) bool
	// Place starts a thread block, for which there must be room; d opens its warps.
	Place(now clock.Cycle, a Assignment, d seam.Divergence)
	// Resident is the number of thread blocks on the core.
	Resident() int
	// CountResidency brings the counts of resident warps up to the cycle now.
	CountResidency(now clock.Cycle)
	// CloseStreams closes the streams of the warps that have ended. Streams of several
	// cores may share memory, so it is not for a core that runs in parallel with others.
	CloseStreams()
}

// Progress is a core as a check of whether a replay goes on sees it.
type Progress interface {
	// Busy reports whether anything is under way on the core.
	Busy() bool
	// Describe says what every warp on the core waits for, one line each.
	Describe() []string
	// Watched tells the watcher, if there is one, what every warp does in the cycle now,
	// after the front end has run.
	Watched(now clock.Cycle)
}

// Observer hears of thread blocks that have left a core, and of room for others.
type Observer interface {
	// RoomMade tells that a core that had no room for a thread block has some from the
	// cycle after now on, although none has left it.
	RoomMade(now clock.Cycle)
	// BlockRetired tells that a thread block of the chunk with the given number
	// (Assignment.ChunkIndex) has ended on a core.
	BlockRetired(now clock.Cycle, core int, block uint64, chunkIndex int)
}

// Assignment is a thread block on its way to a core.
type Assignment struct {
	Block      uint64
	Chunk      *wtape.Chunk
	ChunkIndex int
	Launch     *trace.Launch
	Need       seam.Footprint
	// Cluster is the thread block's, and Rank its place there; nil without clusters.
	Cluster *cluster.Cluster
	Rank    int
}

// Occupancy is how many thread blocks of a launch fit on one core, and why not more.
type Occupancy struct {
	Need    seam.Footprint
	Blocks  int
	Limiter string // "threads", "warps", "blocks", "registers", "shared_memory"
}

// Warps is the number of warps resident on a full core.
func (o Occupancy) Warps() int { return o.Blocks * o.Need.Warps }

// Division is how L1 and shared memory divide their array for the launch on a machine.
func (o *Occupancy) Division(m *arch.Machine) seam.Division {
	carveout := m.Shared.Carveout(o.Blocks * o.Need.SharedBytes)
	return seam.Division{Carveout: carveout, L1Ways: m.L1Ways(carveout)}
}
