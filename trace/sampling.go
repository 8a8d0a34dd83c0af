// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"math"
	"sort"
)

// Sampling says what the stored thread blocks of a sample stand for, so that a
// replay can extrapolate to the whole run.
type Sampling struct {
	// Policy is how the thread blocks were chosen, in the form that
	// "warptape record --sample" takes.
	Policy string `json:"policy"`
	// SlicesKept of SlicesAll equal parts of a machine get the stored thread
	// blocks; both are zero for a sample that runs on the whole machine.
	SlicesKept uint32 `json:"slices_kept,omitempty"`
	SlicesAll  uint32 `json:"slices_all,omitempty"`
	// Launches holds one element per launch of the trace.
	Launches []LaunchSample `json:"launches"`
	// Strata ascend by launch.
	Strata []Stratum `json:"strata"`
	// Runs ascend by launch and thread block, do not overlap, and cover all
	// thread blocks that are stored.
	Runs []Run `json:"runs"`
}

// LaunchSample holds the counts of a whole launch, exact unless it says otherwise, and the
// launch that stands for it: itself, unless none of its thread blocks is stored.
type LaunchSample struct {
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	MemoryInstructions uint64 `json:"memory_instructions"` // warp instructions with lane addresses
	Representative     int    `json:"representative"`
	// PassedOver is the number of its thread blocks that did not run, as the program says
	// that they are independent. Then the counts are estimates from those that ran, with
	// CountError as their relative standard error.
	PassedOver uint64  `json:"passed_over,omitempty"`
	CountError float64 `json:"count_error,omitempty"`
}

// Stratum is a set of thread blocks of a launch that are taken to be alike.
type Stratum struct {
	Launch           int    `json:"launch"`
	Blocks           uint64 `json:"blocks"`            // thread blocks that belong to it, stored or not
	WarpInstructions uint64 `json:"warp_instructions"` // of all of them
}

// Run is a range of consecutive stored thread blocks of one stratum.
type Run struct {
	Stratum int    `json:"stratum"` // in Sampling.Strata
	First   uint64 `json:"first"`   // linear id of its first thread block
	Blocks  uint64 `json:"blocks"`
}

// PassedOver is the number of thread blocks that did not run: counts of the whole run are
// estimates when there are any.
func (s *Sampling) PassedOver() uint64 {
	n := uint64(0)
	for i := range s.Launches {
		n += s.Launches[i].PassedOver
	}
	return n
}

// Weight is the number of thread blocks that each stored thread block of a
// stratum stands for; weights times stored thread blocks add up to all of them.
func (s *Sampling) Weight(stratum int) float64 {
	stored := uint64(0)
	for i := range s.Runs {
		if s.Runs[i].Stratum == stratum {
			stored += s.Runs[i].Blocks
		}
	}
	return float64(s.Strata[stratum].Blocks) / float64(stored)
}

// LaunchStrata gives the strata of a launch: numbers first to end-1.
func (s *Sampling) LaunchStrata(launch int) (first, end int) {
	at := func(l int) int {
		return sort.Search(len(s.Strata), func(i int) bool { return s.Strata[i].Launch >= l })
	}
	return at(launch), at(launch + 1)
}

// LaunchRuns gives the runs of a launch: numbers first to end-1.
func (s *Sampling) LaunchRuns(launch int) (first, end int) {
	at := func(l int) int {
		return sort.Search(len(s.Runs), func(i int) bool { return s.Strata[s.Runs[i].Stratum].Launch >= l })
	}
	return at(launch), at(launch + 1)
}

// SliceBlocks is the number of thread blocks of a grid that fall to kept of all equal
// slices of a machine, rounded up. A launch takes as long as the fullest SM, and that of
// the slice then gets as many as that of the machine.
func SliceBlocks(grid, kept, all uint64) uint64 {
	return grid/all*kept + (grid%all*kept+all-1)/all
}

// SliceSMs is the number of SMs of kept of all equal slices of a machine: the nearest, one at
// least.
func SliceSMs(sms, kept, all uint64) uint64 {
	return max(1, uint64(math.Round(float64(sms)*(float64(kept)/float64(all)))))
}

// Has reports whether a run holds the thread block.
func (s *Sampling) Has(launch int, block uint64) bool {
	first, end := s.LaunchRuns(launch)
	runs := s.Runs[first:end]
	i := sort.Search(len(runs), func(i int) bool { return runs[i].First+runs[i].Blocks > block })
	return i < len(runs) && runs[i].First <= block
}

// Validate checks the description against the launches, how many thread blocks of each
// are stored, and the totals of the whole run.
func (s *Sampling) Validate(launches []Launch, storedBlocks func(launch int) uint64, totals *Totals) error {
	if s.SlicesKept > s.SlicesAll || (s.SlicesAll > 0 && s.SlicesKept == 0) {
		return fmt.Errorf("%d of %d slices of the machine", s.SlicesKept, s.SlicesAll)
	}
	if len(s.Launches) != len(launches) {
		return fmt.Errorf("it describes %d launches of %d", len(s.Launches), len(launches))
	}
	blocks, instructions, err := s.perLaunch()
	if err != nil {
		return err
	}
	var sum Totals
	for i := range s.Launches {
		l := &s.Launches[i]
		sum.WarpInstructions += l.WarpInstructions
		sum.ThreadInstructions += l.ThreadInstructions
		sum.MemoryInstructions += l.MemoryInstructions
		if l.Representative < 0 || l.Representative >= len(launches) || launches[l.Representative].Kernel != launches[i].Kernel {
			return fmt.Errorf("launch %d stands for launch %d, which has no such launch or is of another kernel", l.Representative, i)
		}
		stored := storedBlocks(i)
		if n := launches[i].Grid.Count(); l.PassedOver >= n || !(l.CountError >= 0 && l.CountError <= 1) {
			return fmt.Errorf("launch %d passed over %d of %d thread blocks, with an error of %v of its counts", i, l.PassedOver, n, l.CountError)
		}
		switch own := l.Representative == i; {
		case own != (stored > 0) || s.Launches[l.Representative].Representative != l.Representative:
			return fmt.Errorf("launch %d has %d stored thread blocks, and launch %d is to stand for it", i, stored, l.Representative)
		case own && (blocks[i] != launches[i].Grid.Count() || instructions[i] != l.WarpInstructions):
			return fmt.Errorf("launch %d has %d thread blocks and %d warp instructions, its strata %d and %d",
				i, launches[i].Grid.Count(), l.WarpInstructions, blocks[i], instructions[i])
		}
	}
	if sum.WarpInstructions != totals.WarpInstructions || sum.ThreadInstructions != totals.ThreadInstructions || sum.MemoryInstructions != totals.MemoryInstructions {
		return fmt.Errorf("its launches add up to %d warp, %d thread and %d memory instructions, the totals are %d, %d and %d",
			sum.WarpInstructions, sum.ThreadInstructions, sum.MemoryInstructions,
			totals.WarpInstructions, totals.ThreadInstructions, totals.MemoryInstructions)
	}
	return s.checkRuns(launches, storedBlocks)
}

// perLaunch adds up the strata of each launch.
func (s *Sampling) perLaunch() (blocks, instructions []uint64, err error) {
	blocks, instructions = make([]uint64, len(s.Launches)), make([]uint64, len(s.Launches))
	last := 0
	for i, t := range s.Strata {
		if t.Launch < last || t.Launch >= len(s.Launches) || t.Blocks == 0 {
			return nil, nil, fmt.Errorf("stratum %d: %d thread blocks of launch %d", i, t.Blocks, t.Launch)
		}
		last = t.Launch
		blocks[t.Launch] += t.Blocks
		instructions[t.Launch] += t.WarpInstructions
	}
	return blocks, instructions, nil
}

// checkRuns checks that runs are in order, stay in their launches, leave no
// stratum without one, and are as many thread blocks as are stored.
func (s *Sampling) checkRuns(launches []Launch, storedBlocks func(launch int) uint64) error {
	stored, perStratum := make([]uint64, len(launches)), make([]uint64, len(s.Strata))
	launch, next := 0, uint64(0)
	for i, r := range s.Runs {
		if r.Stratum < 0 || r.Stratum >= len(s.Strata) {
			return fmt.Errorf("run %d is of stratum %d of %d", i, r.Stratum, len(s.Strata))
		}
		if of := s.Strata[r.Stratum].Launch; of > launch {
			launch, next = of, 0
		} else if of < launch {
			return fmt.Errorf("run %d is of launch %d, after one of launch %d", i, of, launch)
		}
		grid := launches[launch].Grid.Count()
		if r.First < next || r.Blocks == 0 || r.First >= grid || r.Blocks > grid-r.First {
			return fmt.Errorf("run %d is %d thread blocks from %d on, of a grid of %d with %d already passed", i, r.Blocks, r.First, grid, next)
		}
		next = r.First + r.Blocks
		stored[launch] += r.Blocks
		perStratum[r.Stratum] += r.Blocks
	}
	for i, n := range perStratum {
		if n == 0 || n > s.Strata[i].Blocks {
			return fmt.Errorf("stratum %d has %d stored thread blocks of %d", i, n, s.Strata[i].Blocks)
		}
	}
	for i := range launches {
		if have := storedBlocks(i); have != stored[i] {
			return fmt.Errorf("launch %d has %d stored thread blocks, its runs %d", i, have, stored[i])
		}
	}
	return nil
}

// Append adds the description of the launches that follow.
func (s *Sampling) Append(o *Sampling) {
	launches, strata := len(s.Launches), len(s.Strata)
	for _, l := range o.Launches {
		l.Representative += launches
		s.Launches = append(s.Launches, l)
	}
	for _, t := range o.Strata {
		t.Launch += launches
		s.Strata = append(s.Strata, t)
	}
	for _, r := range o.Runs {
		r.Stratum += strata
		s.Runs = append(s.Runs, r)
	}
	s.SlicesKept, s.SlicesAll = o.SlicesKept, o.SlicesAll
}
