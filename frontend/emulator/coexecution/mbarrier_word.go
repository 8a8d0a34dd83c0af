// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"encoding/binary"
	"fmt"
)

// An mbarrier (9.7.13.15) is 64 bits in shared memory, opaque to programs. Here
// they are the expected count of arrivals, those still pending in the phase, and
// the bytes of asynchronous copies that the phase still waits for (tx-count).
// There are also a bit that mbarrier.init sets, and the number of completed
// phases, modulo two.
const (
	mbarrierCountBits = 20
	MbarrierCountMask = 1<<mbarrierCountBits - 1
	mbarrierTxShift   = 2 * mbarrierCountBits
	mbarrierTxBits    = mbarrierCountBits + 1 // with a sign
	MbarrierValid     = 1 << 62
	MbarrierPhase     = 1 << 63
)

// MbarrierWord puts an mbarrier together.
func MbarrierWord(expected, pending uint64, tx int64, phase uint64) uint64 {
	return expected&MbarrierCountMask | pending&MbarrierCountMask<<mbarrierCountBits |
		uint64(tx)&(1<<mbarrierTxBits-1)<<mbarrierTxShift | MbarrierValid | phase&MbarrierPhase
}

// MbarrierPending is the count of pending arrivals in a word or a state.
func MbarrierPending(word uint64) uint64 { return word >> mbarrierCountBits & MbarrierCountMask }

// MbarrierTx is the tx-count of a word.
func MbarrierTx(word uint64) int64 {
	return int64(word<<(64-mbarrierTxShift-mbarrierTxBits)) >> (64 - mbarrierTxBits)
}

// describeMbarrier says what an mbarrier waits for.
func describeMbarrier(word uint64) string {
	if word&MbarrierValid == 0 {
		return "it was not initialised"
	}
	return fmt.Sprintf("its phase %d waits for %d of %d arrivals and %d bytes", word>>63, MbarrierPending(word), word&MbarrierCountMask, MbarrierTx(word))
}

// Over reports whether the phase that is waited for has completed; also without a wait.
func (a *Await) Over() bool {
	return a.Memory == nil || binary.LittleEndian.Uint64(a.Memory)&MbarrierPhase != a.Phase
}

// State says what the mbarrier waits for.
func (a *Await) State() string { return describeMbarrier(binary.LittleEndian.Uint64(a.Memory)) }
