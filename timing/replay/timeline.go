package replay

import (
	"fmt"

	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace"
)

// finishTimeline completes a timeline with the kernels and copies of the run.
func finishTimeline(to *timeline.Recorder, r *trace.Reader, res *Result) error {
	var launches, copies []timeline.Slice
	for i := range res.Launches {
		l := &res.Launches[i]
		launches = append(launches, timeline.Slice{
			Name: l.Kernel, Stream: r.Launches()[l.Launch].Stream, Start: l.Start, End: l.End, Launch: l.Launch,
		})
	}
	for _, c := range res.Copies {
		copies = append(copies, timeline.Slice{
			Name: fmt.Sprintf("%s, %d bytes", c.Direction, c.Bytes), Stream: c.Stream, Start: c.Start, End: c.End, Launch: -1,
		})
	}
	if err := to.Finish(launches, copies); err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	return nil
}
