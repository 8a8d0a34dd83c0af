// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

func TestBytesDoNotDependOnWorkers(t *testing.T) {
	for _, wl := range tracetest.Draw(t, testtraces.Workloads(), tracetest.Fewer(1, 2)) {
		want := testtraces.Encode(t, wl, wtape.Options{Workers: 1})
		for _, workers := range tracetest.Draw(t, []int{2, 8}, 1) {
			if got := testtraces.Encode(t, wl, wtape.Options{Workers: workers}); !bytes.Equal(want, got) {
				t.Errorf("%s: 1 and %d workers give different files", wl.Name, workers)
			}
		}
	}
}

func TestDigestDoesNotDependOnCompression(t *testing.T) {
	tracetest.Nightly(t)
	digests := map[string]wtape.Level{}
	sizes := map[int]wtape.Level{}
	for _, level := range []wtape.Level{wtape.LevelDefault, wtape.LevelFast, wtape.LevelSmall} {
		data := testtraces.Encode(t, testtraces.Workloads()[3], wtape.Options{Level: level})
		digests[testtraces.Open(t, data).Digest()] = level
		sizes[len(data)] = level
	}
	if len(digests) != 1 {
		t.Errorf("different digests: %v", digests)
	}
	if len(sizes) != 3 {
		t.Errorf("the levels compress alike: %v", sizes)
	}
}

func TestReaderServesSeveralGoroutines(t *testing.T) {
	want := testtraces.Random(5)
	r := testtraces.Open(t, want.Encode(t, wtape.Options{}))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				got, err := testtraces.Read(r)
				if err != nil {
					t.Error(err)
				} else if d := testtraces.Diff(want, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
	all.Wait()
}
