// SPDX-License-Identifier: Apache-2.0

package lanecode

import "github.com/warptape/warptape/trace"

// WarpLanes is the number of lanes of a recorded warp.
const WarpLanes = trace.WarpSize

// What a reader accepts of explicit lane addresses.
const (
	MaxChunkLaneSets = 1 << 20 // accesses with explicit lane addresses of a chunk of several thread blocks, up to 262 bytes each

	// Of lane_symbols: tables of a chunk, 16 KiB and 4 KiB each.
	MaxClassTables  = 256
	MaxNibbleTables = 512
)
