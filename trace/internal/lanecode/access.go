// SPDX-License-Identifier: Apache-2.0

package lanecode

// Access is one execution of a memory instruction.
type Access struct {
	Base   uint64
	Stride int32
	Lanes  int32 // -1: strided, else base is that of the lowest lane and this the place in the chunk's patterns
	Mask   uint32
}

// Lowest is the address of the lowest lane.
func (a *Access) Lowest() uint64 {
	if a.Lanes >= 0 {
		return a.Base
	}
	return a.Base + uint64(int64(Lane(a.Mask)))*uint64(int64(a.Stride))
}

// At is the address of an active lane.
func (a *Access) At(l int, lanes *Patterns) uint64 {
	if a.Lanes >= 0 {
		return a.Base + lanes.At(a.Lanes)[l]
	}
	return a.Base + uint64(int64(l))*uint64(int64(a.Stride))
}
