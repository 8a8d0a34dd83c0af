// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"slices"
)

// Tesla is what only the machine of the configurable Tesla-like GPGPU needs to know of a
// kernel in its language, and what its recording says of other configurations.
type Tesla struct {
	// Words are the encoded instructions, one for each of Kernel.Instructions.
	Words         []uint32
	WarpsPerBlock int
	// RegistersPerThread are those that a thread reserves.
	RegistersPerThread int
	// Syncs are the SSY instructions, ascending.
	Syncs      []TeslaSync
	RecordedIn TeslaConfiguration
	// SharedWords and ConstantWords are one more than the highest word that is accessed or
	// initialised; AddressesWrap says that a lane's address lay beyond the memory.
	SharedWords, ConstantWords int
	AddressesWrap              bool
	// Dependences say why the kernel may do something else in another configuration.
	Dependences []TeslaDependence
}

// TeslaSync is an SSY with the basic block at its label.
type TeslaSync struct{ Instruction, Block uint32 }

// TeslaConfiguration are the parameters of Table 4.2 of Lies' thesis, on which what the
// machine does depends.
type TeslaConfiguration struct {
	Multiprocessors, Processors, WarpSlots, BlockSlots, Parameters, WarpWidth           int
	InstructionAddressBits, RegisterAddressBits, ConstantAddressBits, SharedAddressBits int
}

// TeslaDependence is a reason why a kernel may do something else in another configuration.
type TeslaDependence struct {
	On     TeslaDependsOn
	Reason string
}

// TeslaDependsOn says on what a kernel depends. It is part of the file format.
type TeslaDependsOn uint8

// What a kernel may depend on.
const (
	TeslaRows    TeslaDependsOn = 1 + iota // on the lanes of a row
	TeslaReplays                           // on the lanes that run again for others
	TeslaTiming                            // on the order of warps
	TeslaWarp                              // on the order of lanes of one warp, which narrower warps part
	TeslaWidth                             // on the width of warps

	teslaDependsEnd
)

var teslaDependsNames = [teslaDependsEnd]string{"", "rows", "replays", "timing", "the lanes of a warp", "the width of warps"}

// Known reports whether the format has the value.
func (d TeslaDependsOn) Known() bool { return d >= TeslaRows && d < teslaDependsEnd }

func (d TeslaDependsOn) String() string {
	if d < teslaDependsEnd {
		return teslaDependsNames[d]
	}
	return "unknown"
}

// maxTeslaParameter bounds the parameters of a configuration; address widths are far
// smaller.
const maxTeslaParameter = 1 << 16

// validate checks the part against its kernel; it may be nil.
func (t *Tesla) validate(k *Kernel) error {
	if t == nil {
		return nil
	}
	if len(t.Words) != len(k.Instructions) {
		return fmt.Errorf("%d words for %d instructions", len(t.Words), len(k.Instructions))
	}
	if i := slices.IndexFunc(t.Syncs, func(s TeslaSync) bool {
		return int64(s.Instruction) >= int64(len(k.Instructions)) || int64(s.Block) >= int64(len(k.Blocks))
	}); i >= 0 {
		return fmt.Errorf("SSY %d: instruction %d or basic block %d does not exist", i, t.Syncs[i].Instruction, t.Syncs[i].Block)
	}
	if i := slices.IndexFunc(t.Dependences, func(d TeslaDependence) bool { return !d.On.Known() }); i >= 0 {
		return fmt.Errorf("dependence %d is on %d, which is unknown", i, t.Dependences[i].On)
	}
	c := &t.RecordedIn
	for _, n := range []int{t.WarpsPerBlock, t.RegistersPerThread, t.SharedWords, t.ConstantWords, c.Multiprocessors, c.Processors, c.WarpSlots, c.BlockSlots,
		c.Parameters, c.WarpWidth, c.InstructionAddressBits, c.RegisterAddressBits, c.ConstantAddressBits, c.SharedAddressBits} {
		if n < 0 || n > maxTeslaParameter {
			return fmt.Errorf("a parameter of the Tesla-like machine is %d, want 0 to %d", n, maxTeslaParameter)
		}
	}
	return nil
}
