// SPDX-License-Identifier: Apache-2.0

package tracetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	_ "github.com/warptape/warptape/trace/tracetest/heap" // for all tests that draw, forge or leave out
)

// Variables of the environment that say how much Draw gives.
const (
	wholeVariable = "WARPTAPE_NIGHTLY" // not empty: everything
	longVariable  = "WARPTAPE_LONG"    // not empty: the tests that take long, too
	seedVariable  = "WARPTAPE_DRAW"    // the seed of a draw that is to be repeated
)

// Draw gives n of all, drawn at random and in their order. A test of something that many
// workloads or programs have to keep, and that takes long, does some of them in each run.
// A test that fails says the seed, which WARPTAPE_DRAW repeats; with WARPTAPE_NIGHTLY set
// (make nightly) Draw gives all of them.
func Draw[T any](t testing.TB, all []T, n int) []T {
	t.Helper()
	if Whole() || n >= len(all) {
		return all
	}
	if n < 1 {
		t.Fatalf("%d of %d are drawn: the test would do nothing", n, len(all))
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s=%s: it is a number, as a failed test says it", seedVariable, text)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%d of %d were drawn; %s=%d draws them again, and make nightly does all", n, len(all), seedVariable, seed)
		}
	})
	return draw(all, n, seed)
}

// DrawOfEach gives n of each kind of all, as Draw does: of each generation of machines one, say.
func DrawOfEach[T any, K comparable](t testing.TB, all []T, n int, kind func(T) K) (drawn []T) {
	t.Helper()
	var kinds []K
	of := map[K][]T{}
	for _, x := range all {
		k := kind(x)
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], x)
	}
	for _, k := range kinds {
		drawn = append(drawn, Draw(t, of[k], n)...)
	}
	return drawn
}

// Fewer is how many a test takes of what it must hold for: few in a plain run, many in make whole, which
// runs all tests that ask. Continuous integration does so for each change.
func Fewer(few, many int) int {
	if long() {
		return many
	}
	return few
}

// Seeds draws n of the seeds below of. Random tests have passed with all of them, and each
// run repeats some; make nightly repeats all.
func Seeds(t testing.TB, of, n int) []uint64 {
	t.Helper()
	all := make([]uint64, of)
	for i := range all {
		all[i] = uint64(i)
	}
	return Draw(t, all, n)
}

// Some gives all to a benchmark that measures, and draws n where each benchmark runs once
// with -short, to show that it does (make once).
func Some[T any](b *testing.B, all []T, n int) []T {
	b.Helper()
	if !testing.Short() {
		return all
	}
	return Draw(b, all, n)
}

// Whole reports whether Draw and Seeds give everything. A floor of what a random test must have
// seen, so that it shows something, holds for all its seeds and not for a few.
func Whole() bool { return os.Getenv(wholeVariable) != "" }

// long reports whether tests run that a plain run leaves out.
func long() bool { return Whole() || os.Getenv(longVariable) != "" }

// Nightly skips a test that takes seconds in a process of its own (a page's commands, a
// build, a browser, a cluster) or for millions of steps. make whole runs it, and continuous
// integration does for each change: of what it draws as many as any run. make nightly takes all.
func Nightly(t testing.TB) {
	t.Helper()
	if !long() {
		t.Skipf("takes long; make whole runs it, and %s=1", longVariable)
	}
}

// draw takes each with the probability with which the rest can still be filled. So each set
// of n is as likely as any other (Knuth, The Art of Computer Programming 2, 3.4.2,
// algorithm S).
func draw[T any](all []T, n int, seed uint64) []T {
	random := rand.New(rand.NewPCG(seed, 0))
	var some []T
	for i, x := range all {
		if random.IntN(len(all)-i) < n-len(some) {
			some = append(some, x)
		}
	}
	return some
}
