// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

// unneededBarriers are the barriers that can be removed from a workload without
// a race, an uninitialised read or a wrong result, by line of its PTX, with the
// reason.
var unneededBarriers = map[string]string{
	"backprop.ptx:59":            "the next barrier comes before the first load of what was stored",
	"backprop.ptx:77":            "threads load back what they stored themselves, and what the barrier before it orders",
	"needle.ptx:121":             "the first step loads what its thread has stored; a barrier ends the step",
	"reduction-variants.ptx:177": ownElements,
	"reduction-variants.ptx:300": ownElements,
	"reduction-variants.ptx:312": ownElements,
	"reduction-variants.ptx:437": ownElements,
	"reduction-variants.ptx:441": ownElements,
	"reduction-variants.ptx:588": ownElements,
	"transformer-block.ptx:67":   "nothing has been loaded from the partial results yet",
	"transformer-block.ptx:207":  "nothing has been loaded from the partial results yet",
}

// Kernel barriers of microbenchmarks measures barriers, and has nothing between them.
func init() {
	for line := 1485; line <= 1500; line++ {
		unneededBarriers[fmt.Sprintf("microbenchmarks.ptx:%d", line)] = "the kernel measures it"
	}
}

// ownElements is why levels in global memory need no barrier while what they leave is
// at least as wide as a thread block. A thread adds elements that it has stored itself.
const ownElements = "threads load back what they stored themselves"

// racesOfNoHarm names workloads that have races in global memory that do no harm. In bfs
// several threads set a level to the same value; in atomics-contention threads look at a
// maximum before an atomic.
var racesOfNoHarm = map[string]bool{"bfs": true, "atomics-contention": true}

// Every barrier of the catalogue's kernels is removed in turn, some in each run. Something
// must notice: the check for races or for uninitialised reads, or the check of the
// results.
func TestARemovedBarrierIsNoticed(t *testing.T) {
	type removal struct {
		workload traces.Workload
		place    string
		text     string
	}
	var removals []removal
	for _, w := range traces.List() {
		text, err := fs.ReadFile(w.Files, w.Name+".ptx")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if !strings.Contains(line, "bar.sync") {
				continue
			}
			without := slices.Clone(lines)
			without[i] = ""
			removals = append(removals, removal{w, fmt.Sprintf("%s.ptx:%d", w.Name, i+1), strings.Join(without, "\n")})
		}
	}
	if len(removals) < 100 {
		t.Errorf("there are only %d barriers", len(removals))
	}
	for _, r := range tracetest.Draw(t, removals, tracetest.Fewer(1, 2)) {
		err := runEdited(t, r.workload, r.text)
		if _, unneeded := unneededBarriers[r.place]; unneeded == (err != nil) {
			t.Errorf("without the barrier of %s: %v", r.place, err)
		}
	}
}

// runEdited runs a workload's size tiny with another PTX under all checks.
func runEdited(t *testing.T, w traces.Workload, text string) error {
	t.Helper()
	folder := fstest.MapFS{w.Name + ".ptx": {Data: []byte(text)}}
	program, err := fs.ReadFile(w.Files, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	folder[w.Program] = &fstest.MapFile{Data: program}
	p, err := host.Load(folder, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	o := host.Options{Size: "tiny", Seed: 1, CheckRaces: true, CheckGlobalRaces: !racesOfNoHarm[w.Name], CheckShared: true, MaxInstructions: 1 << 22}
	if _, err = p.Run(context.Background(), o); err != nil {
		return err
	}
	// Kernels that the size tiny does not launch.
	switch w.Name {
	case "reduction":
		o.Size, o.Set = "buddy", map[string]string{"n": "512", "repeats": "1"}
	case "sgemm":
		o.Size = "registers-tiny"
	default:
		return nil
	}
	_, err = p.Run(context.Background(), o)
	return err
}
