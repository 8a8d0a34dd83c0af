// SPDX-License-Identifier: Apache-2.0

package mta

// warpWays of a set of the table of strides of single warps.
const warpWays = 4

// strides are the tables of an SM. Addresses are those of the first lane that takes
// part; a stride of zero is none.
type strides struct {
	warps    []warpStride   // sets of warpWays
	global   []globalStride // in order of use, the last first
	threads  []threadStride // likewise
	training int            // warps that have to agree
}

// place is a warp of a thread block; block tells all of an SM's apart that follow
// each other in a slot.
type place struct {
	block uint32
	warp  int32 // slot
}

// warpStride is what a warp does at an instruction.
type warpStride struct {
	instruction uint32
	at          place
	used        bool
	trained     bool // the last two strides were the same
	last        uint64
	stride      int64
	tick        uint64
}

// globalStride is a stride that holds for all warps at an instruction.
type globalStride struct {
	instruction uint32
	stride      int64
}

// threadStride is how far the accesses of a warp and the next one are apart at an
// instruction.
type threadStride struct {
	instruction uint32
	at          place // of the last access
	last        uint64
	stride      int64
	agreed      int // accesses in favour of it
}

func newStrides(s *Section) strides {
	return strides{
		warps: make([]warpStride, s.WarpEntries), global: make([]globalStride, 0, s.GlobalEntries),
		threads: make([]threadStride, 0, s.ThreadEntries), training: s.TrainingWarps,
	}
}

// forget empties the tables: another kernel has other instructions.
func (s *strides) forget() {
	clear(s.warps)
	s.global, s.threads = s.global[:0], s.threads[:0]
}

// forAll gives the stride that all warps have at an instruction, zero for none.
func (s *strides) forAll(instruction uint32) int64 {
	for i := range s.global {
		if s.global[i].instruction == instruction {
			g := s.global[i]
			copy(s.global[1:i+1], s.global[:i])
			s.global[0] = g
			return g.stride
		}
	}
	return 0
}

// promote makes a stride hold for all warps; the one that was used longest ago
// makes room.
func (s *strides) promote(instruction uint32, stride int64) {
	if len(s.global) < cap(s.global) {
		s.global = append(s.global, globalStride{})
	}
	copy(s.global[1:], s.global)
	s.global[0] = globalStride{instruction, stride}
}

// ofWarp trains the table of single warps with an access and gives the stride of
// the warp, zero while it is not known. promoted says that it holds for all from
// now on.
func (s *strides) ofWarp(tick uint64, instruction uint32, at place, address uint64) (stride int64, promoted bool) {
	e := s.warpEntry(instruction, at)
	e.tick = tick
	if !e.used {
		*e = warpStride{instruction: instruction, at: at, used: true, last: address, tick: tick}
		return 0, false
	}
	step := int64(address - e.last)
	e.trained = step == e.stride && step != 0
	e.last, e.stride = address, step
	if !e.trained {
		return 0, false
	}
	if s.agreeing(instruction, step) < s.training {
		return step, false
	}
	s.promote(instruction, step)
	return step, true
}

// warpEntry gives the entry of a warp at an instruction; one that is not used is to
// be filled.
func (s *strides) warpEntry(instruction uint32, at place) *warpStride {
	sets := uint32(len(s.warps) / warpWays)
	// Warps of an instruction lie in sets that follow each other.
	first := (instruction*37 + uint32(at.warp)) % sets * warpWays
	ways := s.warps[first : first+warpWays]
	oldest := 0
	for i := range ways {
		e := &ways[i]
		if e.used && e.instruction == instruction && e.at == at {
			return e
		}
		if !e.used || ways[oldest].used && e.tick < ways[oldest].tick {
			oldest = i
		}
	}
	ways[oldest] = warpStride{}
	return &ways[oldest]
}

// agreeing is the number of warps that have a stride at an instruction.
func (s *strides) agreeing(instruction uint32, stride int64) int {
	n := 0
	for i := range s.warps {
		if e := &s.warps[i]; e.used && e.trained && e.instruction == instruction && e.stride == stride {
			n++
		}
	}
	return n
}

// ofThreads trains the table of strides between warps with an access and gives the
// stride from a warp to the next, zero while too few have agreed on it. Warps of
// different thread blocks are not neighbours.
func (s *strides) ofThreads(instruction uint32, at place, address uint64) int64 {
	e := s.threadEntry(instruction, at)
	if between := int64(at.warp - e.at.warp); between != 0 && at.block == e.at.block {
		e.learn(int64(address-e.last), between)
	}
	e.at, e.last = at, address
	if e.stride == 0 || e.agreed < s.training {
		return 0
	}
	return e.stride
}

// learn takes a difference of addresses of two warps into account.
func (e *threadStride) learn(difference, between int64) {
	switch stride := difference / between; {
	case difference%between == 0 && stride == e.stride:
		e.agreed = min(e.agreed+1, mostAgreed)
	case e.agreed > 1:
		e.agreed--
	case difference%between == 0:
		e.stride, e.agreed = stride, 1
	}
}

// mostAgreed bounds what is to be unlearnt when a stride changes.
const mostAgreed = 32

// threadEntry gives the entry of an instruction, a new one, of the access that is its
// first, in the place of the one that was used longest ago.
func (s *strides) threadEntry(instruction uint32, first place) *threadStride {
	at := len(s.threads)
	for i := range s.threads {
		if s.threads[i].instruction == instruction {
			at = i
			break
		}
	}
	e := threadStride{instruction: instruction, at: first}
	switch {
	case at < len(s.threads):
		e = s.threads[at]
	case at < cap(s.threads):
		s.threads = append(s.threads, e)
	default:
		at--
	}
	copy(s.threads[1:at+1], s.threads[:at])
	s.threads[0] = e
	return &s.threads[0]
}
