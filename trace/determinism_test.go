package trace

import (
	"bytes"
	"sync"
	"testing"
)

func TestBytesDoNotDependOnWorkers(t *testing.T) {
	for _, wl := range workloads() {
		want := encodeWorkload(t, wl, Options{Workers: 1})
		for _, workers := range []int{2, 8} {
			if got := encodeWorkload(t, wl, Options{Workers: workers}); !bytes.Equal(want, got) {
				t.Errorf("%s: 1 and %d workers give different files", wl.name, workers)
			}
		}
	}
}

func TestDigestDoesNotDependOnCompression(t *testing.T) {
	digests := map[string]Level{}
	sizes := map[int]Level{}
	for _, level := range []Level{LevelDefault, LevelFast, LevelSmall} {
		data := encodeWorkload(t, workloads()[3], Options{Level: level})
		digests[openBytes(t, data).Digest()] = level
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
	want := randomModel(5)
	r := openBytes(t, want.encode(t, Options{}))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				got, err := readModel(r)
				if err != nil {
					t.Error(err)
				} else if d := diffModels(want, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
	all.Wait()
}
