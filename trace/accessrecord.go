package trace

// accessRecord is one execution of a memory instruction.
type accessRecord struct {
	base   uint64
	stride int32
	lanes  int32 // -1: strided, else base is that of the lowest lane and this the place in the chunk's patterns
	mask   uint32
}

// lowest is the address of the lowest lane.
func (a *accessRecord) lowest() uint64 {
	if a.lanes >= 0 {
		return a.base
	}
	return a.base + uint64(int64(lane(a.mask)))*uint64(int64(a.stride))
}

// at is the address of an active lane.
func (a *accessRecord) at(l int, lanes *lanePatterns) uint64 {
	if a.lanes >= 0 {
		return a.base + lanes.at(a.lanes)[l]
	}
	return a.base + uint64(int64(l))*uint64(int64(a.stride))
}
