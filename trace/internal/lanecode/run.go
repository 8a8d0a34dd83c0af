// SPDX-License-Identifier: Apache-2.0

package lanecode

// Run is one execution with explicit lanes.
type Run struct {
	Position int32 // among the accesses of its chunk
	Warp     int32
	Mask     uint32
}
