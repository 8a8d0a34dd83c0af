// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"

	"github.com/warptape/warptape/frontend/ptx"
)

// Contaminate cuts a kernel into segments, allocates its registers and builds
// the static part of its trace. Errors name the kernel's place in its file:
// a body without instructions, memory or registers beyond what a trace holds.
func Contaminate(k *ptx.Kernel) (*Kernel, error) {
	if len(k.Body) == 0 {
		return nil, fmt.Errorf("%s: kernel %s has no instructions; a kernel ends with ret or exit", k.Position, k.Name)
	}
	k, err := ptx.Link(k)
	if err != nil {
		return nil, err
	}
	c := &Kernel{PTX: k}
	c.Segments = cut(k)
	c.setUnits()
	c.setPostDominators()
	c.setJoins()
	if err := c.placeVariables(); err != nil {
		return nil, err
	}
	markDivergent(c)
	allocation, err := allocate(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkReturns(); err != nil {
		return nil, err
	}
	c.Static = staticKernel(c, allocation)
	c.Static.TimingDependent = timingDependence(c)
	return c, nil
}

// SegmentAt is the id of the segment that begins with instruction i of
// PTX.Body: where a branch to label l goes is SegmentAt(l.Index). It is Exit
// behind the last instruction, and for instructions that no path reaches.
func (k *Kernel) SegmentAt(i int) int {
	low, high := 0, len(k.Segments)
	for low < high {
		middle := (low + high) / 2
		if k.Segments[middle].First < i {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(k.Segments) && k.Segments[low].First == i {
		return low
	}
	return Exit
}

// terminator is the last instruction of a segment.
func (k *Kernel) terminator(s *Segment) *ptx.Instruction {
	return &k.PTX.Body[s.First+s.Count-1]
}
