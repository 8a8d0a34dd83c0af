// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"testing"
	"time"

	"github.com/warptape/warptape/cmd/development/cputime"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// BenchmarkDigestOfAReplay measures which part of a replay's processor time goes to the
// check of the digest that its results bear.
func BenchmarkDigestOfAReplay(b *testing.B) {
	machine, err := arch.Load("gtx480")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"bfs", "divergence-nested", "hotspot", "merge-sort", "saxpy", "streamcluster"} {
		b.Run(name, func(b *testing.B) {
			path := "../../traces/recorded/" + name + ".wtape"
			var checks, replays time.Duration
			for b.Loop() {
				checks += checkTime(b, path)
				r, err := wtape.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := r.CheckDigest(context.Background()); err != nil { // the replay's own is free then
					b.Fatal(err)
				}
				start := cputime.Used()
				if _, err := replay.Run(context.Background(), r, []*arch.Machine{machine}, replay.Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
				replays += cputime.Used() - start
				r.Close()
			}
			b.ReportMetric(100*float64(checks)/float64(checks+replays), "%digest")
		})
	}
}

// checkTime is the mean processor time of a check, of several that each have a Reader of
// their own.
func checkTime(b *testing.B, path string) time.Duration {
	b.Helper()
	const checks = 20
	var sum time.Duration
	for range checks {
		r, err := wtape.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		start := cputime.Used()
		if err := r.CheckDigest(context.Background()); err != nil {
			b.Fatal(err)
		}
		sum += cputime.Used() - start
		r.Close()
	}
	return sum / checks
}
