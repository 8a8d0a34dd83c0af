// SPDX-License-Identifier: Apache-2.0

package switching

import "github.com/warptape/warptape/trace"

// The small cache by which the GPSim thesis's simulator tells long-latency memory
// instructions (ESESC at commit 6958074e, GPUThreadManager.cpp: 192 entries of 32 bytes).
const (
	filterLines     = 192
	filterLineBytes = 32
)

// Filter tells which memory instructions would miss in that cache: fully associative,
// and here least recently used, with one for each SM.
type Filter struct {
	lines [filterLines]uint64 // the most recently used first
	count int
}

// Misses looks up what the lanes in mask access, and reports whether any of it is missing.
// owner tells thread blocks' shared and warps' local memories apart. Parameters, constants
// and textures are never missing: the simulator gives them no addresses.
func (f *Filter) Misses(addresses *[trace.WarpSize]uint64, space trace.Space, mask uint32, owner uint32) (missing bool) {
	apart := space == trace.SpaceShared || space == trace.SpaceLocal
	switch space {
	case trace.SpaceConst, trace.SpaceParam, trace.SpaceTexture:
		return false
	}
	last := ^uint64(0)
	for lane, address := range addresses {
		if mask>>lane&1 == 0 {
			continue
		}
		line := address / filterLineBytes
		if apart {
			line = uint64(owner)<<28&(1<<56-1) | address%trace.WindowBytes/filterLineBytes
		}
		if space == trace.SpaceLocal {
			line |= uint64(lane) << 23 // a window has 2^23 lines
		}
		if line |= uint64(space) << 56; line != last {
			missing = !f.use(line) || missing
			last = line
		}
	}
	return missing
}

// use looks a line up and puts it in front of the others; false when it was not there, and
// takes the place of the last.
func (f *Filter) use(line uint64) (found bool) {
	at := 0
	for at < f.count && f.lines[at] != line {
		at++
	}
	if found = at < f.count; !found {
		f.count = min(f.count+1, filterLines)
		at = f.count - 1
	}
	copy(f.lines[1:at+1], f.lines[:at])
	f.lines[0] = line
	return found
}
