// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/trace"

// Instruction is one executed instruction as a core sees it. Registers are
// ChampSim's numbers, 0 is none (trace.CPUInstruction).
type Instruction struct {
	IP uint64
	// Branch is what kind of control flow it is; Taken is its outcome.
	Branch trace.CPUBranch
	Taken  bool
	// Registers that it writes and reads; 0 ends neither list.
	Destinations, Sources [trace.CPUOperands]uint8
	// Loads and Stores say how many of the addresses are read and written.
	Loads, Stores uint8
	// Syncs is how many events of synchronisation come before it (Synchronised).
	Syncs                         uint8
	LoadAddresses, StoreAddresses [trace.CPUOperands]uint64
}
