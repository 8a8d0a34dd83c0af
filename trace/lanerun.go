package trace

// laneRun is one execution with explicit lanes.
type laneRun struct {
	position int32 // among the accesses of its chunk
	warp     int32
	mask     uint32
}
