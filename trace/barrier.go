// SPDX-License-Identifier: Apache-2.0

package trace

import "fmt"

// BarrierVisit is the number of a barrier and that of the threads that it expects, as an
// execution of bar or barrier has them in registers (PTX ISA 9.7.13.1). The access of an
// instruction with Values has it as the word of each lane. Traces before there was that field
// know immediates alone.
type BarrierVisit struct {
	Number  uint32 // 0..15
	Threads uint32 // 0 for all of the thread block
}

// barrierThreads is where a word has the number of threads; that of the barrier is below.
const barrierThreads = 8

// Word is the word of a lane.
func (b BarrierVisit) Word() uint64 {
	return uint64(b.Number)&(1<<barrierThreads-1) | uint64(b.Threads)<<barrierThreads
}

// BarrierOf is the visit of a word.
func BarrierOf(word uint64) BarrierVisit {
	return BarrierVisit{Number: uint32(word & (1<<barrierThreads - 1)), Threads: uint32(word >> barrierThreads)}
}

func (b BarrierVisit) String() string {
	if b.Threads == 0 {
		return fmt.Sprintf("barrier %d for all threads", b.Number)
	}
	return fmt.Sprintf("barrier %d for %d threads", b.Number, b.Threads)
}
