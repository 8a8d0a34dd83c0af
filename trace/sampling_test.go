package trace

import (
	"strings"
	"testing"
)

// described is a right description of two launches, of which the first has two
// strata and stands for the second.
func described() (*Sampling, []Launch, func(int) uint64, *Totals) {
	launches := []Launch{{Grid: Dim3{X: 100, Y: 1, Z: 1}}, {Grid: Dim3{X: 50, Y: 2, Z: 1}}}
	s := &Sampling{
		Policy:   "stratified",
		Launches: []LaunchSample{{1000, 32000, 10, 0}, {900, 28000, 9, 0}},
		Strata:   []Stratum{{0, 60, 700}, {0, 40, 300}},
		Runs:     []Run{{0, 0, 5}, {1, 20, 4}, {0, 90, 1}},
	}
	return s, launches, func(l int) uint64 { return []uint64{10, 0}[l] }, &Totals{WarpInstructions: 1900, ThreadInstructions: 60000, MemoryInstructions: 19}
}

func TestRightSamplingIsAccepted(t *testing.T) {
	s, launches, stored, totals := described()
	if err := s.validate(launches, stored, totals); err != nil {
		t.Fatal(err)
	}
	again, err := samplingFromProto(samplingToProto(s))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.validate(launches, stored, totals); err != nil || again.Weight(0) != 10 || again.Weight(1) != 10 {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestContradictorySamplingIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Sampling)
		want   string
	}{
		"launch missing":       {func(s *Sampling) { s.Launches = s.Launches[:1] }, "describes 1 launches of 2"},
		"slices":               {func(s *Sampling) { s.SlicesKept, s.SlicesAll = 3, 2 }, "3 of 2 slices"},
		"no slice":             {func(s *Sampling) { s.SlicesAll = 2 }, "0 of 2 slices"},
		"no such launch":       {func(s *Sampling) { s.Launches[1].Representative = 7 }, "launch 7 stands for launch 1"},
		"represents itself":    {func(s *Sampling) { s.Launches[1].Representative = 1 }, "launch 1 has 0 stored thread blocks"},
		"not represented":      {func(s *Sampling) { s.Launches[0].Representative = 1 }, "launch 0 has 10 stored thread blocks"},
		"strata too small":     {func(s *Sampling) { s.Strata[0].Blocks-- }, "its strata 99 and 1000"},
		"strata instructions":  {func(s *Sampling) { s.Strata[0].WarpInstructions++ }, "its strata 100 and 1001"},
		"totals":               {func(s *Sampling) { s.Launches[1].ThreadInstructions++ }, "60001 thread"},
		"stratum of no launch": {func(s *Sampling) { s.Strata[1].Launch = 2 }, "stratum 1: 40 thread blocks of launch 2"},
		"empty stratum":        {func(s *Sampling) { s.Strata[1].Blocks = 0 }, "stratum 1: 0 thread blocks"},
		"run of no stratum":    {func(s *Sampling) { s.Runs[0].Stratum = 2 }, "run 0 is of stratum 2 of 2"},
		"runs overlap":         {func(s *Sampling) { s.Runs[1].First = 4 }, "run 1 is 4 thread blocks from 4 on"},
		"run leaves the grid":  {func(s *Sampling) { s.Runs[2].First = 1 << 63 }, "of a grid of 100"},
		"run wraps":            {func(s *Sampling) { s.Runs[2].Blocks = ^uint64(0) }, "of a grid of 100"},
		"empty run":            {func(s *Sampling) { s.Runs[2].Blocks = 0 }, "run 2 is 0 thread blocks"},
		"stratum not stored":   {func(s *Sampling) { s.Runs[1].Stratum = 0 }, "stratum 1 has 0 stored thread blocks"},
		"more in the runs":     {func(s *Sampling) { s.Runs[2].Blocks = 2 }, "launch 0 has 10 stored thread blocks, its runs 11"},
	} {
		s, launches, stored, totals := described()
		c.change(s)
		if err := s.validate(launches, stored, totals); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

func TestSamplingColumnsOfDifferentLengthsAreRefused(t *testing.T) {
	s, _, _, _ := described()
	m := samplingToProto(s)
	m.RunBlocks = m.RunBlocks[:2]
	if _, err := samplingFromProto(m); err == nil || !strings.Contains(err.Error(), "columns of different lengths") {
		t.Errorf("got %v", err)
	}
}

func TestRunsHoldTheirThreadBlocks(t *testing.T) {
	s, _, _, _ := described()
	for block, want := range map[uint64]bool{0: true, 4: true, 5: false, 19: false, 20: true, 23: true, 24: false, 90: true, 91: false} {
		if s.has(0, block) != want {
			t.Errorf("thread block %d: %v", block, !want)
		}
	}
	if s.has(1, 0) {
		t.Error("launch 1 has a stored thread block")
	}
}
