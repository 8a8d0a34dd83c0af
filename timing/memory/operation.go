// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/clock"

// operation is one warp instruction (or instruction fetch) in a port.
type operation struct {
	address     uint64 // fetch: of the line
	issued      clock.Cycle
	remaining   int32 // transactions not yet looked up, and sectors on their way
	entering    int32 // transactions not yet looked up
	token       uint32
	instruction uint32 // or seam.NoInstruction
	warp        int16
	kind        operationKind
	bypass      bool
	local       bool
	timed       bool // counts into the load latency
}

type operationKind uint8

const (
	opLoad operationKind = iota
	opStore
	opAtomic
	opFetch
	opWriteBack
	opControl    // a request for the directory, without a waiter
	opLocalStore // a store that stays in the SM, with a token
	opRefill     // of sectors of the constant cache from the instruction cache; token: see refill
)
