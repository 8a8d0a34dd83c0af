// SPDX-License-Identifier: Apache-2.0

package offload

// lineBytes is what one address of a ComputePacket stands for: an operand of four
// bytes for each of 32 lanes.
const lineBytes = 128

// The fields of a ComputePacket in bytes (Fig. 5: one flit of 32).
const (
	headerField  = 3
	opcodeField  = 1 // 4 or 8 bits
	statusField  = 1
	addressField = 6 // of a, b and c each
	immediate    = 4
	extraField   = 5 // the lanes of a warp in which not all are active

	packetBytes = headerField + opcodeField + statusField + 3*addressField + immediate + extraField
	// maskBytes is the flit with masks that follows when one warp sends several
	// packets (section 4.5).
	maskBytes = 32
	// maxAddress bounds the addresses that fit.
	maxAddress = uint64(1)<<(8*addressField) - 1
)

// addressed reports whether a packet has room for the addresses of a line's bytes.
func addressed(line uint64) bool { return line <= maxAddress-(lineBytes-1) }

// computeFlits is the length of a ComputePacket in flits of a network.
func computeFlits(masks bool, flitBytes int) uint16 {
	n := packetBytes
	if masks {
		n += maskBytes
	}
	return uint16((n + flitBytes - 1) / flitBytes)
}
