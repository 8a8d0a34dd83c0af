// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// job is a chain for those lanes of a warp that touch the same lines: one
// ComputePacket, or the part that the warp's own core executes.
type job struct {
	chain *chain
	mask  uint32
	sm    uint16
	warp  uint8
	masks bool // the packet has a second flit
	// fetching says that a partition's service queue moves the operands, which are
	// in L2, into its buffer.
	fetching bool
	node     seam.End
	ready    clock.Cycle // from which the packet can be sent
	// lines holds those of the loads, and of the store at storeLine.
	lines   [3]line
	waiting int // sectors, or accesses of the core, that have yet to be served
}

const storeLine = 2

// line is where an operand lies.
type line struct {
	inside  uint64 // the slice
	slice   uint16
	sectors uint16
	bytes   cache.Bytes
}

// message says what a number in the networks and slices stands for: a job and
// this.
type message uint32

const (
	messageCompute  message = iota // ComputePacket to its node
	messageLoad                    // and messageLoad+1: a service queue's loads
	_                              //
	messageStore                   // a service queue's store, and its acknowledgement
	messageAnswer                  // the result for the warp
	messageReturned                // and messageReturned+1: loads for the packet's own core
	_                              //
	messageRefused                 // a packet that goes back

	messageBits = 3
)

func idOf(j int32, m message) uint32 { return uint32(j)<<messageBits | uint32(m) }

// jobs is a pool of them; a job is named by its place.
type jobs struct {
	items []job
	free  []int32
}

func newJobs() jobs { return jobs{} }

func (p *jobs) take() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	p.items = append(p.items, job{})
	return int32(len(p.items) - 1)
}

func (p *jobs) release(i int32) { p.free = append(p.free, i) }

func (p *jobs) used() int { return len(p.items) - len(p.free) }

// loadSectors is how often the loads of a job are served.
func (j *job) loadSectors() int {
	n := 0
	for k := range j.chain.loads {
		n += int(j.lines[k].sectors)
	}
	return n
}
