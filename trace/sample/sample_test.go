// SPDX-License-Identifier: Apache-2.0

package sample_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// policies are one of each kind, with and without clustering of launches.
var policies = []string{
	"fraction=0.1,min=10,run=16", "count=33,min=1,run=8", "stratified=3,fraction=0.2,min=20,work=1", "sms=1/4",
	"auto", "auto=0.2,waves=1,work=1,seed=3,for=16x8/1536/32768/49152/0", "sms=1/8,fraction=0.5,waves=2,for=16x8/1536/32768/49152/0", "fraction=0.1,waves=1,launches,for=16x8/1536/32768/49152/0", "fraction=0.25,launches=0.2,min=10,work=1", "sms=2/3,launches", "stratified,launches,min=8,work=1", "fraction=1", "fraction=0.9,min=1",
	"auto=0.2,waves=1-3,work=1,for=16x8/1536/32768/49152/0", "fraction=0.1,waves=2-2,launches=0.5,work=10,for=16x8/1536/32768/49152/0", "sms=1/4,fraction=0.5,waves=1-2,launches,for=16x8/1536/32768/49152/0",
	"fraction=0.1,waves=1-2,work=1,for=16x8/1536/32768/49152/0", "auto,for=16x8/1536/32768/49152/786432/8", "fraction=0.1,for=2x8/1536/32768/49152/786432", "sms=1/4,for=2x8/1536/0/0/0",
}

// program has launches that are alike, thread blocks of two kinds, and launches
// too small to sample.
func program() []launch {
	two := func(block uint64) int { return 1 + 5*int(block/600%2) }
	l := []launch{{1500, two}, {3, same(2)}, {1500, two}, {1, same(9)}}
	for range 6 {
		l = append(l, launch{700, same(3)})
	}
	return l
}

func TestSampledTotalsAreThoseOfTheWholeRun(t *testing.T) {
	want := recorded(t, "", 1, program()...).Totals()
	for _, p := range policies {
		if diff := cmp.Diff(want, recorded(t, p, 1, program()...).Totals()); diff != "" {
			t.Errorf("%s: %s", p, diff)
		}
	}
}

func TestLaunchTotalsAreThoseOfTheLaunchAlone(t *testing.T) {
	s := recorded(t, "fraction=0.1,min=10,launches,work=1", 1, program()...).Sampling()
	for i, l := range program() {
		alone := recorded(t, "", 1, l).Totals()
		got := s.Launches[i]
		if got.WarpInstructions != alone.WarpInstructions || got.ThreadInstructions != alone.ThreadInstructions || got.MemoryInstructions != alone.MemoryInstructions {
			t.Errorf("launch %d: %+v, alone %+v", i, got, alone)
		}
	}
}

func TestFractionOneHasTheDigestOfTheWholeTrace(t *testing.T) {
	whole := recorded(t, "", 1, program()...)
	if got := recorded(t, "fraction=1", 1, program()...); got.Digest() != whole.Digest() || got.Sampling() != nil {
		t.Errorf("recorded: digest %s, whole %s", got.Digest(), whole.Digest())
	}
	path := filepath.Join(t.TempDir(), "copy.wtape")
	if err := sample.Trace(whole, path, parse(t, "fraction=1"), wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := open(t, path); got.Digest() != whole.Digest() {
		t.Errorf("copied: digest %s, whole %s", got.Digest(), whole.Digest())
	}
}

func TestWeightsAddUpToTheThreadBlocks(t *testing.T) {
	for _, p := range policies {
		r := recorded(t, p, 1, program()...)
		s := r.Sampling()
		if s == nil {
			continue
		}
		sums := make([]float64, len(s.Launches))
		for _, run := range s.Runs {
			sums[s.Strata[run.Stratum].Launch] += s.Weight(run.Stratum) * float64(run.Blocks)
		}
		for i, l := range r.Launches() {
			if own := s.Launches[i].Representative == i; own && math.Abs(sums[i]-float64(l.Grid.Count())) > 1e-6 || !own && sums[i] != 0 {
				t.Errorf("%s: launch %d: weights add up to %g of %d thread blocks", p, i, sums[i], l.Grid.Count())
			}
		}
	}
}

func TestSampleIsTheSameAtAnyNumberOfWorkers(t *testing.T) {
	for _, p := range tracetest.Draw(t, policies, tracetest.Fewer(2, len(policies))) {
		one, four := recorded(t, p, 1, program()...), recorded(t, p, 4, program()...)
		a, err := os.ReadFile(one.Name())
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(four.Name())
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s: the files differ", p)
		}
	}
}

func TestSampleOfATraceChoosesWhatARecordingChooses(t *testing.T) {
	whole := recorded(t, "", 1, program()...)
	for _, p := range tracetest.Draw(t, policies, tracetest.Fewer(3, len(policies))) {
		path := filepath.Join(t.TempDir(), "sample.wtape")
		if err := sample.Trace(whole, path, parse(t, p), wtape.Options{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(recorded(t, p, 1, program()...).Sampling(), open(t, path).Sampling()); diff != "" {
			t.Errorf("%s: %s", p, diff)
		}
	}
}

func TestFractionStoresItsShareInRuns(t *testing.T) {
	s := recorded(t, "fraction=0.1,min=1,run=25", 1, launch{1000, same(1)}).Sampling()
	if len(s.Runs) != 4 {
		t.Fatalf("runs %+v, want 4 of 25", s.Runs)
	}
	for i, r := range s.Runs {
		if r.Blocks != 25 || r.First != s.Runs[0].First+uint64(i)*250 {
			t.Errorf("run %d: %+v", i, r)
		}
	}
	other := recorded(t, "fraction=0.1,min=1,run=25,seed=2", 1, launch{1000, same(1)}).Sampling()
	if other.Runs[0].First == s.Runs[0].First {
		t.Errorf("both seeds start at %d", s.Runs[0].First)
	}
}

func TestSlicesStoreAFillAtATime(t *testing.T) {
	// A GPU of 16 SMs holds 8 thread blocks of two warps each: a quarter is 32.
	const gtx480 = ",for=16x8/1536/32768/49152/786432"
	s := recorded(t, "sms=1/4"+gtx480, 1, launch{1280, same(1)}).Sampling()
	if len(s.Runs) != 10 || s.SlicesKept != 1 || s.SlicesAll != 4 {
		t.Fatalf("%+v", s)
	}
	for i, r := range s.Runs {
		if r.Blocks != 32 || r.First != s.Runs[0].First+uint64(i)*128 {
			t.Errorf("run %d: %+v", i, r)
		}
	}
	half := recorded(t, "sms=1/4,fraction=0.5,waves=1"+gtx480, 1, launch{1280, same(1)}).Sampling()
	if len(half.Runs) != 5 {
		t.Errorf("half of the slice: %+v", half.Runs)
	}
	long := recorded(t, "sms=1/4,fraction=0.5,waves=1,run=160"+gtx480, 1, launch{1280, same(1)}).Sampling()
	if len(long.Runs) != 1 || long.Runs[0].Blocks != 160 || !strings.Contains(long.Policy, ",run=160,") {
		t.Errorf("half of the slice in one run: %+v of %s", long.Runs, long.Policy)
	}
}

func TestStrataAreTheKindsOfThreadBlocks(t *testing.T) {
	kinds := func(block uint64) int { return 1 + 9*int(block/2048) }
	s := recorded(t, "stratified=4,fraction=0.25,min=256,work=1", 1, launch{4096, kinds}).Sampling()
	if len(s.Strata) != 2 || s.Strata[0].Blocks != 2048 || s.Strata[1].Blocks != 2048 {
		t.Fatalf("strata %+v", s.Strata)
	}
	// Two warps, an instruction before and after, two a trip.
	if a, b := s.Strata[0].WarpInstructions, s.Strata[1].WarpInstructions; a != 2048*2*4 || b != 2048*2*22 {
		t.Errorf("the strata have %d and %d warp instructions", a, b)
	}
}

func TestLaunchesThatDoAlikeHaveOneRepresentative(t *testing.T) {
	s := recorded(t, "fraction=1,launches=0.1,for=16x8/1536/32768/49152/0", 1, program()...).Sampling()
	var got []int
	for _, l := range s.Launches {
		got = append(got, l.Representative)
	}
	// 0 and 2 are alike but for the data, which are new in 0; so are 4 and 5 to 9,
	// which do the same: one is stored.
	if diff := cmp.Diff([]int{0, 1, 2, 3}, got[:4]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{4, 7, 7, 7, 7, 7}, got[4:]); diff != "" {
		t.Error(diff)
	}
}

// Launches that do alike but not the same are stood for by two at least.
func TestLaunchesThatDifferByAFewPercentHaveTwoRepresentatives(t *testing.T) {
	var l []launch
	for i := range uint64(5) {
		l = append(l, launch{1000 + 15*i, same(3)})
	}
	// The first touches what no launch has; 0 is therefore alone.
	s := recorded(t, "fraction=1,launches=0.1,for=16x8/1536/32768/49152/0", 1, append([]launch{{1100, same(3)}}, l...)...).Sampling()
	for i, want := range []int{0, 2, 2, 4, 4, 4} {
		if got := s.Launches[i].Representative; got != want {
			t.Errorf("launch %d is represented by %d, want %d", i, got, want)
		}
	}
}

func TestSampleOfASampleIsRefused(t *testing.T) {
	part := recorded(t, "fraction=0.1,min=1", 1, launch{100, same(1)})
	path := filepath.Join(t.TempDir(), "no.wtape")
	err := sample.Trace(part, path, parse(t, "fraction=0.5"), wtape.Options{})
	if err == nil || !strings.Contains(err.Error(), "is a sample already (fraction=0.1") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file is left")
	}
}

func TestSecondRunThatDiffersIsRefused(t *testing.T) {
	p := parse(t, "stratified")
	profile := sample.NewProfile(p)
	if err := play(profile, launch{100, same(1)}); err != nil {
		t.Fatal(err)
	}
	profile.Choose()
	w, err := wtape.Create(filepath.Join(t.TempDir(), "a.wtape"), trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	err = play(sample.NewRecorder(w, p, profile), launch{101, same(1)})
	if err == nil || !strings.Contains(err.Error(), "is not that of the run before") {
		t.Errorf("got %v", err)
	}
}

func TestPoliciesRoundTripAsText(t *testing.T) {
	for _, text := range policies {
		p := parse(t, text)
		if again := parse(t, p.String()); again != p {
			t.Errorf("%s gives %s, which is %+v, not %+v", text, p, again, p)
		}
	}
}

func TestWrongPoliciesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "want auto[=F], fraction=F",
		"half":                       "want auto[=F], fraction=F",
		"fraction=0":                 "fraction=0: want a number above 0 and at most 1",
		"fraction=1.5":               "fraction=1.5: want a number above 0",
		"fraction=NaN":               "fraction=NaN: want",
		"fraction":                   "fraction=: want",
		"count=0":                    "count=0: want a whole number of at least 1",
		"count=-3":                   "count=-3: want",
		"stratified=0":               "stratified=0: want a number of strata from 1 to 64",
		"sms=3/2":                    "sms=3/2: there are only 2 parts",
		"sms=0/2":                    "sms=0/2: want K/N",
		"sms=1":                      "sms=1: want K/N",
		"auto=0":                     "auto=0: want a number above 0",
		"auto=0.1,waves=0":           "waves=0: want",
		"auto,waves=0-2":             "waves=0: want",
		"auto,waves=2-":              "waves=: want",
		"auto,waves=3-2":             "waves=3-2: want the smaller number first",
		"fraction=0.1,seed=x":        "seed=x: want a whole number",
		"fraction=0.1,launches=2":    "launches=2: want",
		"fraction=0.1,run=0":         "run=0: want",
		"fraction=0.1,run=4,run=4":   "run is given twice",
		"count=3,fraction=0.1":       "count has no fraction",
		"auto,for=v100":              "for=v100: want SMSxBLOCKS/THREADS/REGISTERS/SHARED/CACHE",
		"auto,for=0x1/1/1/1/1":       "for=0x1/1/1/1/1: want",
		"auto,for=1x1/1/1/1":         "want SMSxBLOCKS",
		"auto,for=1x1/1/1/1/1/1/1":   "want SMSxBLOCKS",
		"auto,for=9999999x1/1/1/1":   "want SMSxBLOCKS",
		"auto,min=3,for=1x1/1/1/1/1": "want waves=N in the place of min=N",
		"fraction=0.1,speed=3":       "want auto[=F], fraction=F",
	} {
		if _, err := sample.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", text, err, want)
		}
	}
}

// The same launch needs five times the thread blocks on a machine of five times the SMs.
func TestWavesAreCountedOnTheMachineThatTheSampleIsFor(t *testing.T) {
	for machine, want := range map[string]uint64{"16x8/1536/32768/49152/0": 2 * 128, "80x8/1536/32768/49152/0": 2 * 640, "1x32/64/32768/49152/0": 200, "500x32/2048/65536/98304/0": 20000} {
		s := recorded(t, "fraction=0.01,waves=2,for="+machine, 1, launch{20000, same(1)}).Sampling()
		if got := s.Runs[0].Blocks; len(s.Runs) != 1 || got != want {
			t.Errorf("%s: runs %+v, want one of %d", machine, s.Runs, want)
		}
	}
}

// A run of less than eight fills of the machine would mostly show where runs meet.
func TestRunsAreOfEightFillsOrMore(t *testing.T) {
	s := recorded(t, "fraction=0.5,run=100,waves=1,for=4x8/1536/32768/49152/0", 1, launch{10000, same(1)}).Sampling()
	if want := 5000 / (8 * 32); len(s.Runs) != want {
		t.Errorf("%d runs, want %d", len(s.Runs), want)
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range policies {
		f.Add(p)
	}
	f.Add("sms=1/0")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := sample.Parse(text)
		if err != nil {
			return
		}
		again, err := sample.Parse(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q gives %q, which gives %v, %v", text, p, again, err)
		}
	})
}
