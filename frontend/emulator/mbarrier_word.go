package emulator

import (
	"encoding/binary"
	"fmt"
)

// An mbarrier (9.7.13.15) is 64 bits in shared memory, opaque to programs: here
// the expected count of arrivals, those still pending in the phase, the bytes of
// asynchronous copies that the phase still waits for (tx-count), a bit that
// mbarrier.init sets, and the number of completed phases, modulo two.
const (
	mbarrierCountBits = 20
	mbarrierCountMask = 1<<mbarrierCountBits - 1
	mbarrierTxShift   = 2 * mbarrierCountBits
	mbarrierTxBits    = mbarrierCountBits + 1 // with a sign
	mbarrierValid     = 1 << 62
	mbarrierPhase     = 1 << 63
)

// mbarrierWord puts an mbarrier together.
func mbarrierWord(expected, pending uint64, tx int64, phase uint64) uint64 {
	return expected&mbarrierCountMask | pending&mbarrierCountMask<<mbarrierCountBits |
		uint64(tx)&(1<<mbarrierTxBits-1)<<mbarrierTxShift | mbarrierValid | phase&mbarrierPhase
}

// mbarrierPending is the count of pending arrivals in a word or a state.
func mbarrierPending(word uint64) uint64 { return word >> mbarrierCountBits & mbarrierCountMask }

// mbarrierTx is the tx-count of a word.
func mbarrierTx(word uint64) int64 {
	return int64(word<<(64-mbarrierTxShift-mbarrierTxBits)) >> (64 - mbarrierTxBits)
}

// describeMbarrier says what an mbarrier waits for.
func describeMbarrier(word uint64) string {
	if word&mbarrierValid == 0 {
		return "it was not initialised"
	}
	return fmt.Sprintf("its phase %d waits for %d of %d arrivals and %d bytes", word>>63, mbarrierPending(word), word&mbarrierCountMask, mbarrierTx(word))
}

// over reports whether the phase that is waited for has completed; also without a wait.
func (a *Await) over() bool {
	return a.Memory == nil || binary.LittleEndian.Uint64(a.Memory)&mbarrierPhase != a.Phase
}

// state says what the mbarrier waits for.
func (a *Await) state() string { return describeMbarrier(binary.LittleEndian.Uint64(a.Memory)) }
