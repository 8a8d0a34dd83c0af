// SPDX-License-Identifier: Apache-2.0

// Package switching says at which instructions a core goes to the next warp (GPSim
// thesis Table 6.5). It has triggers, and the filter that tells memory instructions of
// a long latency from others.
package switching

import "github.com/warptape/warptape/trace"

// Trigger is a set of events at which a core goes to the next warp. Barriers and the end
// of a warp are always among them.
type Trigger uint8

// The events. Miss is known when an instruction issues.
const (
	Memory Trigger = 1 << iota
	EveryMemory
	Miss
	Branch
	Any
)

// words are the values of arch.SM.WarpSwitch; NON has no trigger. The thesis does not say
// which memory instructions have a long latency. "mem" are those for which something comes
// back from beyond the SM, "mem-every" are all, "mem-miss" those that miss in the filter
// of the thesis's simulator.
var words = map[string]Trigger{
	"non": 0, "mem": Memory, "mem-every": EveryMemory, "mem-miss": Miss,
	"bra": Branch, "mbr": Memory | Branch, "mbr-every": EveryMemory | Branch, "mbr-miss": Miss | Branch,
	"all": Any,
}

// On gives the triggers of a value of arch.SM.WarpSwitch.
func On(word string) Trigger { return words[word] }

// Of gives the triggers that an instruction is, but for Miss.
func Of(in *trace.Instruction) Trigger {
	switch in.Class {
	case trace.ClassStore, trace.ClassBulk:
		return Any | EveryMemory
	case trace.ClassLoad, trace.ClassAtomic, trace.ClassTexture:
		switch in.Space {
		case trace.SpaceShared, trace.SpaceConst, trace.SpaceParam:
			return Any | EveryMemory
		}
		return Any | EveryMemory | Memory
	case trace.ClassBranch, trace.ClassCall:
		return Any | Branch
	}
	return Any
}
