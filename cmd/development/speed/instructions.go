// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// baselinePath is the committed counts, in the source tree.
const baselinePath = "cmd/development/speed/instructions.json"

// mostPercent is by how much a count may be above the committed one.
const mostPercent = 5

// counted are the replays whose instructions are counted: one that is mostly the start of
// a process, one that computes, and one whose lanes go their own ways.
var counted = []struct{ workload, size string }{{"saxpy", "tiny"}, {"sgemm", "tiny"}, {"bfs", "tiny"}}

// countedMachine is what they are replayed on.
const countedMachine = "gtx480"

// baseline is the content of the file.
type baseline struct {
	// Go is the compiler: another one makes other instructions.
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Machine  string            `json:"machine"`
	Counts   map[string]uint64 `json:"instructions"`
}

// countAll counts all replays.
func countAll(ctx context.Context, c *counter, program, folder string) (*baseline, error) {
	b := &baseline{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Machine: countedMachine, Counts: map[string]uint64{}}
	for _, w := range counted {
		trace, err := record(ctx, program, folder, w.workload, w.size)
		if err != nil {
			return nil, err
		}
		n, err := c.count(ctx, folder, program, "replay", trace, "-a", countedMachine, "--workers", "1", "--cores", "1", "-q")
		if err != nil {
			return nil, err
		}
		b.Counts[w.workload] = n
	}
	return b, nil
}

func writeBaseline(path string, b *baseline) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

const rewrite = "write it anew with make instructions-baseline, and say in the commit why"

// compare prints the counts next to those of the file, and fails where one is too
// high.
func compare(out io.Writer, path string, now *baseline) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("counts of instructions: %w", err)
	}
	var before baseline
	if err := json.Unmarshal(text, &before); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if before.Platform != now.Platform {
		_, err := fmt.Fprintf(out, "%s is of %s, and this is %s: nothing was compared\n", path, before.Platform, now.Platform)
		return err
	}
	if before.Go != now.Go || before.Machine != now.Machine {
		return fmt.Errorf("%s is of %s on %s, and this is %s on %s: %s", path, before.Go, before.Machine, now.Go, now.Machine, rewrite)
	}
	var problems []error
	for _, w := range counted {
		was, is := before.Counts[w.workload], now.Counts[w.workload]
		if was == 0 {
			problems = append(problems, fmt.Errorf("%s has no count of %s: %s", path, w.workload, rewrite))
			continue
		}
		change := 100 * (float64(is)/float64(was) - 1)
		fmt.Fprintf(out, "%-8s %12d instructions, committed %12d: %+.2f %%\n", w.workload, is, was, change)
		if change > mostPercent {
			problems = append(problems, fmt.Errorf("a replay of %s executes %.1f %% more instructions, more than %d: find out why, or %s", w.workload, change, mostPercent, rewrite))
		}
	}
	return errors.Join(problems...)
}
