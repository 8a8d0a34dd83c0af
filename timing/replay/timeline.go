// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace/wtape"
)

// finishTimeline completes a timeline with the kernels and copies of the run: of
// a sampled trace those that were replayed, not what the result estimates.
func finishTimeline(to *timeline.Recorder, r *wtape.Reader, run *gpu.Run) error {
	var launches, gaps, copies []timeline.Slice
	for i := range run.Launches {
		l := &run.Launches[i]
		launches = append(launches, timeline.Slice{
			Name: r.Kernels()[l.Kernel].Name, Stream: r.Launches()[l.Index].Stream, Start: l.Start, End: l.End, Launch: l.Index,
		})
		gaps = append(gaps, timeline.Slice{
			Name: "launch of " + r.Kernels()[l.Kernel].Name, Stream: r.Launches()[l.Index].Stream, Start: l.Sent, End: l.Ready, Launch: l.Index,
		})
	}
	for _, c := range newCopies(run.Copies) {
		copies = append(copies, timeline.Slice{
			Name: fmt.Sprintf("%s, %d bytes", c.Direction, c.Bytes), Stream: c.Stream, Start: c.Start, End: c.End, Launch: -1,
		})
	}
	if err := to.Finish(launches, gaps, copies); err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	return nil
}
