// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host"
)

// expectedLaunches reads what the host computes, by workload.
func expectedLaunches(t *testing.T) map[string][]LaunchResult {
	t.Helper()
	text, err := os.ReadFile("testdata/workloads/results.txt")
	if err != nil {
		t.Fatal(err)
	}
	launches := map[string][]LaunchResult{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		r, err := parseLaunchResult(line)
		if err != nil {
			t.Fatal(err)
		}
		if r.Launch != len(launches[r.Workload]) {
			t.Fatalf("%q: after %d launches", line, len(launches[r.Workload]))
		}
		launches[r.Workload] = append(launches[r.Workload], r)
	}
	return launches
}

func TestWorkloadsComputeWhatTheHostComputes(t *testing.T) {
	names, err := Workloads()
	if err != nil {
		t.Fatal(err)
	}
	all := expectedLaunches(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareWorkload(t, name, all[name])
		})
	}
	if len(all) != len(names) {
		t.Errorf("results of %d workloads, the catalogue has %d: run make oracle", len(all), len(names))
	}
}

func compareWorkload(t *testing.T, name string, want []LaunchResult) {
	var text, values []byte
	if RuleOf(name).Recompiled {
		text = stored(t, "workloads/"+name+".ptx")
	}
	if slices.ContainsFunc(want, func(r LaunchResult) bool { return len(r.Bounded) > 0 }) {
		values = stored(t, "workloads/"+name+".values")
	}
	launches := 0
	err := ObserveWorkload(name, text, func(launch int, l *host.LaunchView, run func() error) error {
		if err := run(); err != nil {
			return err
		}
		launches++
		if launch >= len(want) {
			return nil
		}
		memory, err := DeviceMemory(l.Device)
		if err != nil {
			return err
		}
		r := &want[launch]
		if got := DigestMemory(memory, r.Bounded); got != r.Digest || l.Kernel != r.Kernel {
			t.Errorf("launch %d: kernel %s leaves other memory than %s does on the host", launch, l.Kernel, r.Kernel)
		}
		for _, m := range memory {
			if slices.Contains(r.Bounded, m.Name) {
				checkBound(t, l.Kernel+": "+m.Name, m.Data, values[:len(m.Data)], RuleOf(name).Bound)
				values = values[len(m.Data):]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if launches != len(want) || len(values) > 0 {
		t.Errorf("%d launches, %d on the host, with %d bytes of values left: run make oracle", launches, len(want), len(values))
	}
}

// checkBound compares .f32 results.
func checkBound(t *testing.T, name string, got, want []byte, bound float64) {
	t.Helper()
	number := func(b []byte, at int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[at:])))
	}
	largest := 0.0
	for at := 0; at+4 <= len(want); at += 4 {
		largest = max(largest, math.Abs(number(want, at)))
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) || len(got)%4 != 0 {
		t.Errorf("%s: %g is no bound for %d bytes", name, largest, len(got))
	}
	for at := 0; at+4 <= len(want); at += 4 {
		if g, w := number(got, at), number(want, at); !(math.Abs(g-w) <= bound*largest) {
			t.Errorf("%s: element %d is %v, on the host %v; the largest is %v", name, at/4, g, w, largest)
			return
		}
	}
}

// A result that is wrong by one bit has another digest.
func TestDigestsSeeEveryBit(t *testing.T) {
	memory := []Memory{{Data: bytes.Repeat([]byte{7}, 64)}, {Data: make([]byte, 8)}}
	memory[0].Name, memory[1].Name = "a", "b"
	before := DigestMemory(memory, nil)
	memory[1].Data[7] ^= 1
	if DigestMemory(memory, nil) == before {
		t.Error("a changed bit leaves the digest as it was")
	}
	if DigestMemory(memory, []string{"b"}) == before {
		t.Error("a digest without b is that with b")
	}
}
