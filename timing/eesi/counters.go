// SPDX-License-Identifier: Apache-2.0

package eesi

import "github.com/warptape/warptape/timing/counters"

// firstCounter is the ID of the first of the counters, in the order of the constants
// below.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "eesi_tiny_reads", Unit: counters.Accesses, Meaning: "fetches of lanes that looked their tiny instruction cache up"},
	counters.Declaration{Name: "eesi_tiny_misses", Unit: counters.Accesses, Meaning: "of these, those that waited for the shared instruction cache"},
	counters.Declaration{Name: "eesi_tiny_fills", Unit: counters.Accesses, Meaning: "lines written into tiny instruction caches"},
	counters.Declaration{Name: "eesi_upper_reads", Unit: counters.Lanes, Meaning: "32-bit registers that a lane has read from the upper level of its register file"},
	counters.Declaration{Name: "eesi_upper_writes", Unit: counters.Lanes, Meaning: "32-bit registers that a lane has written to the upper level of its register file"},
	counters.Declaration{Name: "eesi_turns", Unit: counters.Accesses, Meaning: "turns of warp sets in which a lane has issued (eesi-t), or of threads (eesi-m)"},
	counters.Declaration{Name: "eesi_places", Unit: counters.Accesses, Meaning: "sum over core cycles of the different instructions and warp sets that lanes of an SM have issued"},
	counters.Declaration{Name: "eesi_second_issues", Unit: counters.Instructions, Meaning: "warp instructions that the second context of a warp has issued (sbi)"},
	counters.Declaration{Name: "eesi_issue_cycles", Unit: counters.Cycles, Meaning: "sum over SMs of the core cycles in which a lane has issued"},
	counters.Declaration{Name: "eesi_cpu_instructions", Unit: counters.Accesses, Meaning: "instructions of CPU programs that lanes have issued"},
	counters.Declaration{Name: "eesi_cpu_register_reads", Unit: counters.Accesses, Meaning: "64-bit registers that instructions of CPU programs have read"},
	counters.Declaration{Name: "eesi_cpu_register_writes", Unit: counters.Accesses, Meaning: "64-bit registers that instructions of CPU programs have written"},
)

func init() {
	counters.RegisterFree(map[string]string{
		"eesi_tiny_misses":  "the read is charged, and what is written: eesi_tiny_fills",
		"eesi_turns":        "time: the scheduler is charged by instruction",
		"eesi_places":       "tells how far lanes have parted; each lane's own work is charged",
		"eesi_issue_cycles": "time",
	})
}

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
	countCPUInstruction
	countCPURegisterRead
	countCPURegisterWrite
)

// What lanes count for CPU programs (timing/lanes).
var (
	TinyReads         = firstCounter + countTinyRead
	TinyMisses        = firstCounter + countTinyMiss
	TinyFills         = firstCounter + countTinyFill
	CPUInstructions   = firstCounter + countCPUInstruction
	CPURegisterReads  = firstCounter + countCPURegisterRead
	CPURegisterWrites = firstCounter + countCPURegisterWrite
)

// count counts, for the core and for the instruction.
func (s *laneCore) count(instruction uint32, id counters.ID, n uint64) {
	s.set[id] += n
	if s.lines != nil {
		s.lines[instruction][id] += n
	}
}
