// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

func TestRightSamplingIsAccepted(t *testing.T) {
	s, launches, stored, totals := testtraces.Described()
	if err := s.Validate(launches, stored, totals); err != nil {
		t.Fatal(err)
	}
	if s.Weight(0) != 10 || s.Weight(1) != 10 {
		t.Errorf("weights %v and %v, want 10", s.Weight(0), s.Weight(1))
	}
}

// Each launch's runs follow those of the launch before, and may begin at any of its thread blocks.
func TestRunsOfTwoLaunchesAreAccepted(t *testing.T) {
	s, launches, _, totals := testtraces.Described()
	s.Launches[1].Representative = 1
	s.Strata = append(s.Strata, trace.Stratum{Launch: 1, Blocks: 100, WarpInstructions: 900})
	s.Runs = append(s.Runs, trace.Run{Stratum: 2, First: 7, Blocks: 3})
	stored := func(launch int) uint64 { return []uint64{10, 3}[launch] }
	if err := s.Validate(launches, stored, totals); err != nil {
		t.Fatal(err)
	}
	s.Runs = append(s.Runs, trace.Run{First: 95, Blocks: 1})
	if err := s.Validate(launches, stored, totals); err == nil || !strings.Contains(err.Error(), "run 4 is of launch 0, after one of launch 1") {
		t.Errorf("runs that are out of order: %v", err)
	}
}

func TestContradictorySamplingIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*trace.Sampling)
		want   string
	}{
		"launch missing":       {func(s *trace.Sampling) { s.Launches = s.Launches[:1] }, "describes 1 launches of 2"},
		"slices":               {func(s *trace.Sampling) { s.SlicesKept, s.SlicesAll = 3, 2 }, "3 of 2 slices"},
		"no slice":             {func(s *trace.Sampling) { s.SlicesAll = 2 }, "0 of 2 slices"},
		"no such launch":       {func(s *trace.Sampling) { s.Launches[1].Representative = 7 }, "launch 7 stands for launch 1"},
		"represents itself":    {func(s *trace.Sampling) { s.Launches[1].Representative = 1 }, "launch 1 has 0 stored thread blocks"},
		"not represented":      {func(s *trace.Sampling) { s.Launches[0].Representative = 1 }, "launch 0 has 10 stored thread blocks"},
		"strata too small":     {func(s *trace.Sampling) { s.Strata[0].Blocks-- }, "its strata 99 and 1000"},
		"strata instructions":  {func(s *trace.Sampling) { s.Strata[0].WarpInstructions++ }, "its strata 100 and 1001"},
		"totals":               {func(s *trace.Sampling) { s.Launches[1].ThreadInstructions++ }, "60001 thread"},
		"stratum of no launch": {func(s *trace.Sampling) { s.Strata[1].Launch = 2 }, "stratum 1: 40 thread blocks of launch 2"},
		"empty stratum":        {func(s *trace.Sampling) { s.Strata[1].Blocks = 0 }, "stratum 1: 0 thread blocks"},
		"run of no stratum":    {func(s *trace.Sampling) { s.Runs[0].Stratum = 2 }, "run 0 is of stratum 2 of 2"},
		"runs overlap":         {func(s *trace.Sampling) { s.Runs[1].First = 4 }, "run 1 is 4 thread blocks from 4 on"},
		"run leaves the grid":  {func(s *trace.Sampling) { s.Runs[2].First = 1 << 63 }, "of a grid of 100"},
		"run wraps":            {func(s *trace.Sampling) { s.Runs[2].Blocks = ^uint64(0) }, "of a grid of 100"},
		"empty run":            {func(s *trace.Sampling) { s.Runs[2].Blocks = 0 }, "run 2 is 0 thread blocks"},
		"stratum not stored":   {func(s *trace.Sampling) { s.Runs[1].Stratum = 0 }, "stratum 1 has 0 stored thread blocks"},
		"all passed over":      {func(s *trace.Sampling) { s.Launches[0].PassedOver = 100 }, "launch 0 passed over 100 of 100 thread blocks"},
		"negative error":       {func(s *trace.Sampling) { s.Launches[0].CountError = -0.5 }, "an error of -0.5 of its counts"},
		"error above all":      {func(s *trace.Sampling) { s.Launches[1].CountError = 1.5 }, "launch 1 passed over 0 of 100 thread blocks, with an error of 1.5"},
		"error that is none":   {func(s *trace.Sampling) { s.Launches[1].CountError = math.NaN() }, "an error of NaN"},
		"more in the runs":     {func(s *trace.Sampling) { s.Runs[2].Blocks = 2 }, "launch 0 has 10 stored thread blocks, its runs 11"},
	} {
		s, launches, stored, totals := testtraces.Described()
		c.change(s)
		if err := s.Validate(launches, stored, totals); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

func TestRunsHoldTheirThreadBlocks(t *testing.T) {
	s, _, _, _ := testtraces.Described()
	for block, want := range map[uint64]bool{0: true, 4: true, 5: false, 19: false, 20: true, 23: true, 24: false, 90: true, 91: false} {
		if s.Has(0, block) != want {
			t.Errorf("thread block %d: %v", block, !want)
		}
	}
	if s.Has(1, 0) {
		t.Error("launch 1 has a stored thread block")
	}
}
