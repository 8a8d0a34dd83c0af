// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/warptape/warptape/frontend/native/clang"
)

// What a launch and a byte of a copy cost in a CUDA program that runs as it is, the start
// of the program included.
func BenchmarkWorkloadCUDA(b *testing.B) {
	if _, err := clang.Find(); err != nil {
		b.Skip(err)
	}
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	program := filepath.Join(b.TempDir(), "bench")
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"warptape", "cc", "-O3", filepath.Join(cudaPrograms, "bench.cu"), "-o", program}, &stdout, &stderr); code != 0 {
		b.Fatal(stderr.String())
	}
	for _, c := range []struct {
		name, unit string
		count      float64
	}{{"launches", "µs/launch", 10_000}, {"copies", "µs/MiB", 1024}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				output := filepath.Join(b.TempDir(), "bench.wtape")
				if code := run(context.Background(), []string{"warptape", "run", "-q", "-f", "-o", output, "--", program, c.name}, &stdout, &stderr); code != 0 {
					b.Fatal(stderr.String())
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(time.Microsecond)/float64(b.N)/c.count, c.unit)
		})
	}
}
