package replay

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteCSV writes one row per machine and launch and one per machine with its
// total (launch "total"), after RFC 4180: a header row, CRLF line ends, empty
// fields where a metric has no value. Names carry units; counters are in the
// units of counters.Declared.
func WriteCSV(w io.Writer, results []Result) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	f := newFigures(results)
	if err := c.Write(f.appendNames(slices.Clone(csvHeader))); err != nil {
		return err
	}
	for i := range results {
		r := &results[i]
		for j := range r.Launches {
			if err := c.Write(csvRow(f, r, &r.Launches[j])); err != nil {
				return err
			}
		}
		if err := c.Write(csvRow(f, r, &r.Total)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// csvHeader names the columns before metrics and counters.
var csvHeader = []string{"machine", "architecture_digest", "trace_digest", "version", "program", "launch", "kernel",
	"grid_thread_blocks", "block_threads", "blocks_per_sm", "occupancy_limit", "cycles", "time_ns", "start_cycle", "end_cycle"}

func csvRow(f *figures, r *Result, s *Section) []string {
	row := []string{r.Machine, r.ArchitectureDigest, r.TraceDigest, r.Version, r.Program}
	if s.Launch < 0 {
		row = append(row, "total", "", "", "", "", "")
	} else {
		row = append(row, strconv.Itoa(s.Launch), s.Kernel, strconv.FormatUint(s.Grid.Count(), 10),
			strconv.FormatUint(s.Block.Count(), 10), strconv.Itoa(s.BlocksPerSM), s.OccupancyLimit)
	}
	row = append(row, strconv.FormatInt(int64(s.Cycles), 10), decimal(s.Nanoseconds),
		strconv.FormatInt(int64(s.Start), 10), strconv.FormatInt(int64(s.End), 10))
	return f.append(row, r, &s.Metrics, &s.Counters)
}

func decimal(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
