// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// counter counts the instructions that a process executes in user mode.
type counter struct {
	name string
	args func(folder string) []string // before the program's
	// total finds the count in what the counter says on standard error.
	total *regexp.Regexp
}

// findCounter gives a counter that works here, nil without any.
func findCounter(ctx context.Context) *counter {
	for _, c := range []counter{
		{"valgrind", func(folder string) []string {
			return []string{"--tool=callgrind", "--callgrind-out-file=" + filepath.Join(folder, "callgrind.out")}
		}, regexp.MustCompile(`Collected : (\d+)`)},
		{"perf", func(string) []string { return []string{"stat", "-x,", "-e", "instructions:u"} }, regexp.MustCompile(`(?m)^(\d+),`)},
	} {
		if _, err := c.count(ctx, os.TempDir(), "true"); err == nil {
			return &c
		}
	}
	return nil
}

// count runs a program on one thread and without collections or preemptions, which come
// at times of their own. RDTSCP is off, as valgrind does not know it on all processors.
func (c *counter) count(ctx context.Context, folder string, args ...string) (uint64, error) {
	run := exec.CommandContext(ctx, c.name, append(c.args(folder), args...)...)
	run.Env = append(os.Environ(), "GOGC=off", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1")
	var said strings.Builder
	run.Stderr = &said
	if err := run.Run(); err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", c.name, strings.Join(args, " "), err, said.String())
	}
	found := c.total.FindStringSubmatch(said.String())
	if found == nil {
		return 0, fmt.Errorf("%s counted nothing: %s", c.name, said.String())
	}
	return strconv.ParseUint(found[1], 10, 64)
}
