package sm

import (
	"github.com/warptape/warptape/trace"
)

// The small cache by which the GPSim thesis's simulator tells long-latency memory
// instructions (ESESC at commit 6958074e, GPUThreadManager.cpp: 192 entries of 32 bytes).
const (
	filterLines     = 192
	filterLineBytes = 32
)

// missFilter tells which memory instructions would miss in that cache: fully associative,
// and here least recently used, with one for each SM.
type missFilter struct {
	lines     [filterLines]uint64 // the most recently used first
	count     int
	addresses [trace.WarpSize]uint64 // scratch
}

// misses looks up what the lanes in mask access, and reports whether any of it is missing.
// owner tells thread blocks' shared and warps' local memories apart. Parameters, constants
// and textures are never missing: the simulator gives them no addresses.
func (f *missFilter) misses(a *laneAddresses, space trace.Space, mask uint32, owner uint32) (missing bool) {
	apart := space == trace.SpaceShared || space == trace.SpaceLocal
	switch space {
	case trace.SpaceConst, trace.SpaceParam, trace.SpaceTexture:
		return false
	}
	a.chunk.Addresses(a.Access, mask, &f.addresses)
	last := ^uint64(0)
	for lane, address := range f.addresses {
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
func (f *missFilter) use(line uint64) (found bool) {
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

// filter notes whether the memory instruction that warp w issues misses, where the
// machine's switch depends on it.
func (s *SM) filter(w int, a *laneAddresses, space trace.Space, mask uint32) {
	if s.misses == nil || mask == 0 {
		return
	}
	p := &s.warps[w]
	owner := uint32(s.residents.In(p.block).Block)
	if space == trace.SpaceLocal {
		owner = uint32(s.ages[w])
	}
	p.missed = s.misses.misses(a, space, mask, owner) || p.missed
}

// TakeMiss reports whether a memory instruction that warp w has issued has missed since it
// was asked last.
func (s *SM) TakeMiss(w int) bool {
	missed := s.warps[w].missed
	s.warps[w].missed = false
	return missed
}

// NoteMiss lets warp w count as having missed: another slot has, which issues with it.
func (s *SM) NoteMiss(w int) { s.warps[w].missed = true }
