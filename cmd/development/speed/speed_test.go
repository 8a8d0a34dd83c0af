// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func baselineOf(counts map[string]uint64) *baseline {
	return &baseline{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Machine: countedMachine, Counts: counts}
}

func TestFivePercentMoreInstructionsFail(t *testing.T) {
	committed := map[string]uint64{}
	for _, w := range counted {
		committed[w.workload] = 1_000_000
	}
	path := filepath.Join(t.TempDir(), "instructions.json")
	if err := writeBaseline(path, baselineOf(committed)); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[uint64]string{1_000_000: "", 500_000: "", 1_049_000: "", 1_051_000: "5.1 % more instructions"} {
		now := maps.Clone(committed)
		now["sgemm"] = n
		var out bytes.Buffer
		err := compare(&out, path, baselineOf(now))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d instructions: %v, want %q", n, err, want)
		}
		if strings.Count(out.String(), "\n") != len(counted) {
			t.Errorf("%d instructions: printed %q", n, &out)
		}
	}
}

func TestCountsOfAnotherCompilerAreNotCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "instructions.json")
	before := baselineOf(map[string]uint64{})
	before.Go = "go1.1"
	if err := writeBaseline(path, before); err != nil {
		t.Fatal(err)
	}
	err := compare(&bytes.Buffer{}, path, baselineOf(nil))
	if err == nil || !strings.Contains(err.Error(), "go1.1") || !strings.Contains(err.Error(), "make instructions-baseline") {
		t.Errorf("%v, want a refusal with a remedy", err)
	}
}

// The committed counts are of every replay that is counted.
func TestEveryCountedReplayHasACommittedCount(t *testing.T) {
	now := map[string]uint64{}
	for _, w := range counted {
		now[w.workload] = 1
	}
	b := baselineOf(now)
	if err := compare(&bytes.Buffer{}, "instructions.json", b); err != nil && strings.Contains(err.Error(), "has no count") {
		t.Error(err)
	}
}

// A ratio is that of runs of one turn, so that a turn on a busy machine changes nothing.
func TestRatiosAreThoseOfTurns(t *testing.T) {
	of := func(list ...int) (costs []cost) {
		for _, n := range list {
			costs = append(costs, cost{processor: time.Duration(n) * time.Second})
		}
		return costs
	}
	m := measured{of(2, 20, 2), of(1, 10, 1)}
	if got := m.ratio(0, 1, processor); got != 2 {
		t.Errorf("ratio %g, want 2", got)
	}
	if got := m.seconds(0); got != 2 {
		t.Errorf("median %g, want 2", got)
	}
}

// Each line of a saved file is a key and a value, or a benchmark: a name, a count, and a
// number with its unit (Go's benchmark format, golang.org/design/14313-benchmark-format).
func TestASavedFileIsInTheFormatOfBenchmarks(t *testing.T) {
	p := &page{size: "small"}
	p.save("Replay/bfs", []cost{{processor: 2 * time.Second}, {processor: 4 * time.Second}}, "cpu-ns/op", func(c cost) float64 { return 1e9 * processor(c) })
	path := filepath.Join(t.TempDir(), "speed.txt")
	if err := p.writeSaved(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	key := regexp.MustCompile(`^[a-z]+: \S`)
	for _, line := range lines[:4] {
		if !key.MatchString(line) {
			t.Errorf("%q is no key with a value", line)
		}
	}
	want := []string{"BenchmarkReplay/bfs 1 2e+09 cpu-ns/op", "BenchmarkReplay/bfs 1 4e+09 cpu-ns/op"}
	if !slices.Equal(lines[4:], want) {
		t.Errorf("benchmarks %q, want %q", lines[4:], want)
	}
}

// What counts is a program that is here, and a count that is a number.
func TestACounterCountsAProgram(t *testing.T) {
	c := findCounter(context.Background())
	if c == nil {
		t.Skip("neither valgrind nor perf counts instructions here")
	}
	n, err := c.count(context.Background(), t.TempDir(), "true")
	if err != nil || n < 1000 || n > 100_000_000 {
		t.Errorf("%s counted %d instructions: %v", c.name, n, err)
	}
}
