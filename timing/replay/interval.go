// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu"
)

// Interval is a stretch of a replay with what was counted in it.
type Interval struct {
	Start, End clock.Cycle // core cycles since the replay began; End is not part of it
	Metrics    Metrics
	Counters   Counts
}

func newInterval(m *arch.Machine, run *gpu.Run, i *gpu.Interval) Interval {
	s := newSection(m, run, i.End-i.Start, &i.Counters)
	return Interval{Start: i.Start, End: i.End, Metrics: s.Metrics, Counters: s.Counters}
}

// WriteIntervalCSV writes one row per machine and interval, after RFC 4180: its
// first core cycle and the one after its last, metrics and counters as in
// WriteCSV.
func WriteIntervalCSV(w io.Writer, results []Result) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	header := []string{"machine", "architecture_digest", "trace_digest", "start_cycle", "end_cycle"}
	f := newFigures(results)
	if err := c.Write(f.appendNames(header)); err != nil {
		return err
	}
	var row []string
	for i := range results {
		r := &results[i]
		for j := range r.Intervals {
			v := &r.Intervals[j]
			row = append(row[:0], r.Machine, r.ArchitectureDigest, r.TraceDigest,
				strconv.FormatInt(int64(v.Start), 10), strconv.FormatInt(int64(v.End), 10))
			if err := c.Write(f.append(row, r, &v.Metrics, &v.Counters)); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
