// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteCSV writes one row per machine and launch and one per machine with its total
// (launch "total"), after RFC 4180. It has a header row, CRLF line ends, empty fields
// where a metric has no value. Names carry units; counters are in the units of
// counters.Declared. Estimates from a sample have four more columns: the policy, the
// percentage of replayed thread blocks, and the ends of the 95 % confidence interval of
// the cycles. Where launches are on their way for a while there is a column for that. Two say what
// L1 and shared memory have of the array that they divide for a launch, where they do.
func WriteCSV(w io.Writer, results []Result) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	f := newFigures(results)
	sampled := slices.ContainsFunc(results, func(r Result) bool { return r.Sampled != nil })
	header := f.appendNames(slices.Clone(csvHeader))
	if sampled {
		header = append(header, "sampling", "sampled_thread_blocks_percent", "cycles_low", "cycles_high")
	}
	gaps := haveGaps(results)
	if gaps {
		header = append(header, "launch_gap_cycles")
	}
	divided := haveDivisions(results)
	if divided {
		header = append(header, "l1_bytes", "shared_memory_bytes")
	}
	if err := c.Write(header); err != nil {
		return err
	}
	write := func(r *Result, s *Section) error {
		row := csvRow(f, r, s, sampled)
		if gaps {
			row = append(row, strconv.FormatInt(int64(s.LaunchGap), 10))
		}
		if divided {
			row = appendDivision(row, s)
		}
		return c.Write(row)
	}
	for i := range results {
		r := &results[i]
		for j := range r.Launches {
			if err := write(r, &r.Launches[j]); err != nil {
				return err
			}
		}
		if err := write(r, &r.Total); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// csvHeader names the columns before metrics and counters.
var csvHeader = []string{"machine", "architecture_digest", "trace_digest", "version", "program", "launch", "kernel",
	"grid_thread_blocks", "block_threads", "blocks_per_sm", "occupancy_limit", "cycles", "time_ns", "start_cycle", "end_cycle", "bottleneck"}

func csvRow(f *figures, r *Result, s *Section, sampled bool) []string {
	row := []string{r.Machine, r.ArchitectureDigest, r.TraceDigest, r.Version, r.Program}
	if s.Launch < 0 {
		row = append(row, "total", "", "", "", "", "")
	} else {
		row = append(row, strconv.Itoa(s.Launch), s.Kernel, strconv.FormatUint(s.Grid.Count(), 10),
			strconv.FormatUint(s.Block.Count(), 10), strconv.Itoa(s.BlocksPerSM), s.OccupancyLimit)
	}
	row = append(row, strconv.FormatInt(int64(s.Cycles), 10), decimal(s.Nanoseconds),
		strconv.FormatInt(int64(s.Start), 10), strconv.FormatInt(int64(s.End), 10), s.TopDown.Bottleneck)
	row = f.append(row, r, &s.Metrics, &s.Counters)
	switch {
	case sampled && s.Uncertainty != nil:
		row = append(row, r.Sampled.Policy, decimal(r.Sampled.BlocksPercent), decimal(s.Uncertainty.Low), decimal(s.Uncertainty.High))
	case sampled:
		row = append(row, "", "", "", "")
	}
	return row
}

// haveDivisions reports whether launches of one of the results have an L1 of their own.
func haveDivisions(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool {
		return slices.ContainsFunc(r.Launches, func(s Section) bool { return s.L1Bytes > 0 })
	})
}

// appendDivision appends the cells of haveDivisions, empty where nothing is divided.
func appendDivision(row []string, s *Section) []string {
	if s.L1Bytes == 0 {
		return append(row, "", "")
	}
	return append(row, strconv.Itoa(s.L1Bytes), strconv.Itoa(s.SharedBytes))
}

func decimal(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
