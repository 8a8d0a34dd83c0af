// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/warptape/warptape/cmd/development/cputime"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

// BenchmarkWorkloadEncodingShare isolates what writing costs a recording. It gives the
// processor time of a recording less that of the same run without a trace, as a
// percentage of the former. That is checking, collecting, encoding and compressing. All
// but the first two run in workers, in parallel with the emulation. So well above 50 %
// a recording on two cores waits for them. The workloads are two regular ones and the
// two with the most random addresses.
func BenchmarkWorkloadEncodingShare(b *testing.B) {
	for _, name := range tracetest.Some(b, []string{"saxpy", "sgemm", "spmv", "pointer-chase"}, 1) {
		b.Run(name, func(b *testing.B) {
			w, err := traces.Find(name)
			if err != nil {
				b.Fatal(err)
			}
			path := filepath.Join(b.TempDir(), "w.wtape")
			var with, without time.Duration
			for b.Loop() {
				start := cputime.Used()
				recordTo(b, name, "small", path, 1)
				middle := cputime.Used()
				program, err := host.Load(w.Files, w.Program)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := program.Run(context.Background(), host.Options{Size: "small", Seed: 1, Out: io.Discard}); err != nil {
					b.Fatal(err)
				}
				with += middle - start
				without += cputime.Used() - middle
			}
			b.ReportMetric(100*float64(with-without)/float64(with), "%encoding")
		})
	}
}
