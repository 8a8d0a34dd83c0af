// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// build compiles warptape into a folder.
func build(folder string) (string, error) {
	program := filepath.Join(folder, "warptape")
	c := exec.Command("go", "build", "-o", program, "github.com/warptape/warptape/cmd/warptape")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// record makes the trace of a workload in a folder.
func record(ctx context.Context, program, folder, workload, size string) (string, error) {
	path := filepath.Join(folder, workload+"-"+size+".wtape")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	_, err := run(ctx, program, "record", workload, "--size", size, "-o", path, "-q")
	return path, err
}

// cost is what a process took.
type cost struct {
	processor, elapsed time.Duration
	output             []byte // standard output
}

// run executes a program to its end.
func run(ctx context.Context, program string, args ...string) (cost, error) {
	c := exec.CommandContext(ctx, program, args...)
	var out, failed bytes.Buffer
	c.Stdout, c.Stderr = &out, &failed
	begun := time.Now()
	if err := c.Run(); err != nil {
		return cost{}, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, failed.Bytes())
	}
	return cost{processor: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), elapsed: time.Since(begun), output: out.Bytes()}, nil
}
