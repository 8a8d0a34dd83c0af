// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// places turns addresses of the device into those that a trace has.
type places struct {
	read   bool
	spaces [4]spacePlaces
	// own devices place all variables as traces have them, also those of functions.
	own bool
	// genericParams says that parameters have generic addresses.
	genericParams bool
	// maps says that the kernel maps addresses of shared memory to other thread blocks.
	maps bool
	// Of shared memory, in the first thread block of a cluster, by addresses that mapa gives.
	mapped, mappedGeneric spacePlaces
	// unmapped says that mapa leaves an address of the first thread block as it is. Then the
	// thread block's own addresses do not tell whether it has mapped them.
	unmapped bool
}

// spacePlaces are the variables of one space.
type spacePlaces struct {
	variables []placed
	// window is where the space begins among generic addresses.
	window uint64
	// moved is what all variables' places differ by, if together says that they do alike.
	moved    uint64
	together bool
}

// placed is a variable on the device and in the trace.
type placed struct{ device, trace, bytes uint64 }

var placedSpaces = [...]ptx.Space{ptx.SpaceShared, ptx.SpaceLocal, ptx.SpaceConst, ptx.SpaceParam}

// Places in placedSpaces.
const (
	placedLocal = 1
	placedConst = 2
	placedParam = 3
)

// readLayout reads where the device has put variables, once for a launch.
func (p *program) readLayout() error {
	if p.places.read {
		return nil
	}
	c, layout := p.coexecutor, p.rewritten.Layout
	p.places = places{read: true, own: c.own, genericParams: contamination.GenericParams(p.kernel), maps: contamination.MapsShared(p.kernel)}
	if len(layout) >= maxLayout/2 {
		return fmt.Errorf("it has %d variables, more than %d", len(layout), maxLayout)
	}
	told := len(layout)
	if p.rewritten.StackBytes > 0 {
		told++
	}
	words := make([]byte, 16*(told+len(layout)+1))
	if err := c.device.Read(words, c.layout); err != nil {
		return err
	}
	for i, v := range layout {
		at, generic := binary.LittleEndian.Uint64(words[16*i:]), binary.LittleEndian.Uint64(words[16*i+8:])
		if contamination.IsConstants(v) {
			p.places.addConstants(p.buffers, at, generic-at)
			continue
		}
		for n, space := range placedSpaces {
			if v.Space == space {
				p.places.spaces[n].add(placed{at, p.placeOf(v), p.bytesOf(v)}, generic-at)
			}
		}
		if v.Space == ptx.SpaceShared && p.places.maps {
			at, generic := binary.LittleEndian.Uint64(words[16*(told+i):]), binary.LittleEndian.Uint64(words[16*(told+i)+8:])
			p.places.unmapped = at == binary.LittleEndian.Uint64(words[16*i:])
			p.places.mapped.add(placed{at, p.placeOf(v), p.bytesOf(v)}, 0)
			p.places.mappedGeneric.add(placed{generic, p.placeOf(v), p.bytesOf(v)}, 0)
		}
	}
	if n := p.rewritten.StackBytes; n > 0 { // all of local memory, behind the others
		at, generic := binary.LittleEndian.Uint64(words[16*len(layout):]), binary.LittleEndian.Uint64(words[16*len(layout)+8:])
		p.places.spaces[placedLocal].add(placed{at, 0, n}, generic-at)
	}
	return nil
}

func (s *spacePlaces) add(v placed, window uint64) {
	if len(s.variables) == 0 {
		s.window, s.moved, s.together = window, v.trace-v.device, true
	}
	s.together = s.together && v.trace-v.device == s.moved
	s.variables = append(s.variables, v)
}

// placeOf is a variable's address in its space, as the trace has it.
func (p *program) placeOf(v *ptx.Variable) uint64 {
	switch {
	case v.Space == ptx.SpaceShared && v.Extern && v.Bytes == 0:
		return memory.AlignUp(p.kernel.SharedBytes, uint64(max(p.kernel.DynamicSharedAlign, 1)))
	case v.Space == ptx.SpaceShared:
		return p.kernel.SharedOffsets[v]
	case v.Space == ptx.SpaceParam:
		return uint64(p.kernel.PTX.Params[slices.IndexFunc(p.kernel.PTX.Params, func(x *ptx.Param) bool { return x.Name == v.Name })].Offset)
	case v.Space == ptx.SpaceLocal || v.Space == ptx.SpaceArgument:
		return p.kernel.LocalOffsets[v]
	}
	return p.launch.VariableAddress(v)
}

func (p *program) bytesOf(v *ptx.Variable) uint64 {
	if v.Space == ptx.SpaceShared && v.Extern && v.Bytes == 0 {
		return uint64(p.launch.DynamicShared)
	}
	return v.Bytes
}

// translate gives the trace's address of a device's, which a thread block of a rank in its
// cluster has; false where none is known.
func (p *places) translate(space ptx.Space, at uint64, own int) (uint64, bool) {
	if memory.Narrow(space) && (space != ptx.SpaceShared || !p.maps) {
		at &= math.MaxUint32
	} else if rank := int(at>>contamination.RankShift) - 1; rank >= 0 && space != ptx.SpaceGlobal {
		at &= 1<<contamination.RankShift - 1
		if rank != own || !p.unmapped {
			return p.reached(space, at, rank)
		}
	}
	switch space {
	case ptx.SpaceGlobal:
		return at, true
	case ptx.SpaceGeneric, ptx.SpaceNone:
		return p.generic(at)
	}
	for n, s := range placedSpaces {
		if s == space || s == ptx.SpaceLocal && space == ptx.SpaceArgument {
			return p.in(n, at)
		}
	}
	return 0, false
}

// deviceWindow is the size of the windows of shared and of local memory on CUDA devices,
// which may follow each other; no variable lies beyond it on any device.
const deviceWindow = 16 << 20

func (p *places) generic(at uint64) (uint64, bool) {
	for n, space := range placedSpaces {
		s := &p.spaces[n]
		if n == placedParam { // of a window whose size is not known
			if place, ok := p.in(n, at-s.window); ok && p.genericParams {
				return memory.ParamWindowBase + place, true
			}
		} else if len(s.variables) > 0 && at-s.window < deviceWindow {
			place, ok := p.in(n, at-s.window)
			return memory.WindowBase(space) + place, ok
		}
	}
	return at, true
}

// reached gives the trace's address of one in the shared memory of a thread block of the cluster,
// by what mapa makes of it in the first.
func (p *places) reached(space ptx.Space, at uint64, rank int) (uint64, bool) {
	s, base := &p.mapped, uint64(0)
	if space != ptx.SpaceShared {
		s, base = &p.mappedGeneric, memory.SharedWindowBase
	}
	place, ok := s.find(at)
	if !ok || place > coexecution.ClusterPlaceMask {
		return at, false
	}
	return base + coexecution.ClusterAddress(place, rank), true
}

// find gives the trace's address of one that lies in a variable.
func (s *spacePlaces) find(at uint64) (uint64, bool) {
	for _, v := range s.variables {
		if at-v.device < v.bytes {
			return at - v.device + v.trace, true
		}
	}
	return at, false
}

func (p *places) in(n int, at uint64) (uint64, bool) {
	s := &p.spaces[n]
	if s.together && n != placedParam {
		return at + s.moved, true
	}
	if place, ok := s.find(at); ok {
		return place, true
	}
	return at, p.own && len(s.variables) == 0 && n != placedParam
}
