// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	_ "github.com/warptape/warptape/timing/tinycache" // the machines have lane caches
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func init() {
	core.Kinds.Register(Kind, core.Kind{New: newLaneCore, Compile: compile, Occupancy: sm.NewOccupancy, FrontEnds: frontEnds})
	gpu.Mechanisms.Register(Key, gpu.Mechanism{})
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
