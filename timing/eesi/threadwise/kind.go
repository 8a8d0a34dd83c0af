// SPDX-License-Identifier: Apache-2.0

// Package threadwise is the slow twin of package eesi, for tests: the same cores, in which
// every thread is followed by itself, with its own fetch, scoreboard and registers.
package threadwise

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Kind is the word for these cores in gpu.core.
const Kind = "threadwise"

// Lanes of an SM.
const Lanes = eesi.Lanes

// The divergence policies of these cores: those of package eesi.
const (
	Together    = Kind + " " + eesi.Together
	Apart       = Kind + " " + eesi.Apart
	Interleaved = Kind + " " + eesi.Interleaved
)

// Of is a machine with these cores in the place of those of package eesi.
func Of(m *arch.Machine) *arch.Machine {
	twin := *m
	twin.GPU.Core, twin.GPU.Divergence = Kind, Kind+" "+m.GPU.Divergence
	return &twin
}

// The counters of package eesi, in its order.
const (
	countTinyRead counters.ID = iota
	countTinyMiss
	countTinyFill
	countUpperRead
	countUpperWrite
	countTurn
	countPlace
	countSecond
	countIssueCycle
)

var firstCounter = func() counters.ID {
	id, ok := counters.Lookup("eesi_tiny_reads")
	if !ok {
		panic("BUG: package eesi has another counter for eesi_tiny_reads")
	}
	return id
}()

// count counts, for the core and for the instruction.
func (s *laneCore) count(instruction uint32, id counters.ID, n uint64) {
	s.set[id] += n
	if s.lines != nil {
		s.lines[instruction][id] += n
	}
}

func init() {
	core.Kinds.Register(Kind, core.Kind{New: newLaneCore, Compile: compile, Occupancy: sm.NewOccupancy, FrontEnds: frontEnds})
	for _, word := range []string{Together, Apart, Interleaved} {
		arch.RegisterPolicyCore(word, Kind)
		divergence.Policies.Register(word, divergence.Policy{New: func() seam.Divergence { return ownPaths{} }, Check: divergence.LanesApart, Independent: true, Core: Kind})
	}
}

// frontEnds gives each core its own.
func frontEnds(_ *arch.Machine, cores []core.Core) ([]core.Driver, error) {
	drivers := make([]core.Driver, len(cores))
	for i, c := range cores {
		s, ok := c.(*laneCore)
		if !ok {
			return nil, fmt.Errorf("BUG: core %d is a %T, and has no lanes with their own fetch", i, c)
		}
		drivers[i] = core.Driver{FrontEnd: frontEnd{s}, Cores: cores[i : i+1], SlotsPerCycle: s.issuers()}
	}
	return drivers, nil
}

// ownPaths implements seam.Divergence: lanes follow the paths of threads (laneCore.Place).
type ownPaths struct{}

// HardwareWarps implements seam.Divergence.
func (ownPaths) HardwareWarps(n int) int { return n }

// Open implements seam.Divergence.
func (ownPaths) Open(*trace.Kernel, *wtape.Chunk, uint64, int) seam.Stream {
	panic("BUG: eesi: lanes follow threads, and no warp")
}
