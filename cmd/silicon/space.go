// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed data/*.csv silicon.json
var files embed.FS

// Space is the variants of a workload that were measured on a card.
type Space struct {
	// Card is the machine that describes it, At what its clocks were.
	Card, At string
	// Divisions is the value of gpu.lowering_divisions that the measurement's inputs ask for.
	Divisions string
	Workload  string
	// Inputs are parameters of the workload that the measurement's inputs ask for.
	Inputs map[string]string
	// Sample is the policy of the recordings: a few SMs of the machine.
	Sample string
	Rows   []Row
}

// Row is a variant as it was measured.
type Row struct {
	Set          map[string]string
	Microseconds float64
	// Registers of a thread, shared memory of a thread block and local memory of a thread
	// are what the vendor's compiler made of it.
	Registers, SharedBytes, LocalBytes int
	// Counts are what the card's counters say; zero where a card's were not published.
	Counts Counts
}

// Counts are of a kernel: instructions of warps, instructions of threads by the class of
// the profiler, and the part of the SM's warps that are there, in percent.
type Counts struct {
	WarpInstructions float64               `json:"warp_instructions,omitempty"`
	Lanes            [len(Classes)]float64 `json:"lanes,omitzero"`
	WarpsActive      float64               `json:"warps_active_percent,omitempty"`
}

// turing is the clock at which the RTX 2080 Ti ran: instructions over issue-active cycles
// and time give 1.775 to 1.804 GHz in nine rows of ten.
const turing = "+set(clocks.core_mhz=1790,clocks.network_mhz=1790,clocks.l2_mhz=1790)"

// Spaces are all that were measured.
func Spaces() ([]Space, error) {
	// An edge of the polygon costs 12 operations in single precision and 15 on integers on
	// the card, besides those of its points. That is so in every row of the RTX 2080 Ti with
	// 14 points or more. A division of numbers has no operation on integers. Its subroutine
	// for operands that are no numbers has, with the loop's, 12 and 15.
	//
	// On six rows of the RTX 2080 Ti estimates of two fills differ from those of twelve by up
	// to 43 %, and estimates of four fills by up to 6 %. 10 of 41 parts are 20 SMs, and 1 of 4
	// are 17.
	//
	// No lane of these rows takes a point as inside: where a crossing is counted by a guarded
	// operation, it has no lanes in any row. So our polygon's edges have no slope either.
	collapsed := map[string]string{"collapsed": "True"}
	list := []Space{
		{Card: "rtx2080ti", At: turing, Workload: "convolution-variants", Sample: "sms=1/4,fraction=0.0001,waves=4"},
		{Card: "rtx2080ti", At: turing, Workload: "point-in-polygon", Divisions: "nan", Inputs: collapsed, Sample: "sms=1/68,fraction=0.0001,waves=3"},
		{Card: "rtx3090", Workload: "convolution-variants", Sample: "sms=10/41,fraction=0.0001,waves=4"},
		{Card: "rtx3090", Workload: "point-in-polygon", Divisions: "nan", Inputs: collapsed, Sample: "sms=1/82,fraction=0.0001,waves=3"},
	}
	for i := range list {
		s := &list[i]
		if s.Divisions == "" {
			s.Divisions = "ordinary"
		}
		name := fmt.Sprintf("data/%s-%s.csv", s.Workload, s.Card)
		text, err := files.ReadFile(name)
		if err == nil {
			s.Rows, err = readRows(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

// figures are the columns that are no parameters.
var figures = []string{"time_us", "registers", "shared_bytes", "local_bytes", "warp_instructions", "shared_load_wavefronts", "warps_active_percent"}

func readRows(text []byte) ([]Row, error) {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []Row
	for n, line := range lines[1:] {
		r := Row{Set: map[string]string{}}
		for i, name := range lines[0] {
			var err error
			switch name {
			case "time_us":
				r.Microseconds, err = strconv.ParseFloat(line[i], 64)
			case "registers":
				r.Registers, err = strconv.Atoi(line[i])
			case "shared_bytes":
				r.SharedBytes, err = strconv.Atoi(line[i])
			case "warp_instructions":
				r.Counts.WarpInstructions, err = strconv.ParseFloat(line[i], 64)
			case "warps_active_percent":
				r.Counts.WarpsActive, err = strconv.ParseFloat(line[i], 64)
			case "local_bytes":
				r.LocalBytes, err = strconv.Atoi(line[i])
			default:
				if class, of := strings.CutSuffix(name, "_lanes"); of && slices.Contains(Classes[:], class) {
					r.Counts.Lanes[slices.Index(Classes[:], class)], err = strconv.ParseFloat(line[i], 64)
				} else if !slices.Contains(figures, name) {
					r.Set[name] = line[i]
				}
			}
			if err != nil {
				return nil, fmt.Errorf("line %d, %s: %w", n+2, name, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}
