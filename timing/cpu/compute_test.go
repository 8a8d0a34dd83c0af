// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// A computation does its operations, and touches every word of its memory once, for
// any sizes and batches.
func TestAComputationDoesWhatIsRecorded(t *testing.T) {
	for _, operations := range []uint64{0, 1, 7, 1000, 12345} {
		for _, sizes := range [][2]uint64{{0, 0}, {8, 0}, {0, 100}, {1000, 24}, {4096, 4096}} {
			c := NewCompute(operations, []trace.HostAccess{{HostAddress: 0x1000, Bytes: sizes[0]}, {HostAddress: 0x9000, Bytes: sizes[1], Writes: true}},
				func(host uint64) uint64 { return host + 0x100000 })
			for range 2 {
				loads, stores, others := map[uint64]int{}, map[uint64]int{}, uint64(0)
				batch := make([]Instruction, 13)
				for {
					n, err := c.Next(batch)
					if err != nil || n == 0 {
						break
					}
					for _, in := range batch[:n] {
						switch {
						case in.Loads > 0:
							loads[in.LoadAddresses[0]]++
						case in.Stores > 0:
							stores[in.StoreAddresses[0]]++
						case in.Branch == trace.CPUNoBranch:
							others++
						}
					}
				}
				if others != operations || uint64(len(loads)) != (sizes[0]+7)/8 || uint64(len(stores)) != (sizes[1]+7)/8 {
					t.Errorf("%d operations on %v: %d operations, %d loads, %d stores", operations, sizes, others, len(loads), len(stores))
				}
				for word := range (sizes[0] + 7) / 8 {
					if loads[0x101000+8*word] != 1 {
						t.Fatalf("word %d is read %d times", word, loads[0x101000+8*word])
					}
				}
				if err := c.Rewind(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Without memory a computation is a chain of operations: one a cycle.
func TestAComputationWithoutMemoryTakesACycleAnOperation(t *testing.T) {
	b := newBench(t, nil)
	b.one(t, []Instruction{{IP: computeCode}})
	before := b.counted(countCycles)
	b.cluster.Run(clock.Time(b.cluster.cores[0].now)*period, 0, Job{Stream: NewCompute(5000, nil, nil)})
	b.run(t)
	if got := b.counted(countCycles) - before; got < 5000 || got > 5000+10 {
		t.Errorf("%d cycles", got)
	}
}

// A captured CPU trace is refused on pages of another size, and where the size is no
// number.
func TestTracesOfOtherPagesAreRefused(t *testing.T) {
	s := table42(nil)
	for text, refused := range map[string]bool{"4096": false, "65536": true, "many": true, "": true} {
		var file bytes.Buffer
		w, err := wtape.NewWriter(&file, "t", trace.Header{Tool: "test", Arguments: map[string]string{trace.CPUPageBytes: text}}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckPages(r, s); (err != nil) != refused {
			t.Errorf("pages of %q bytes: %v", text, err)
		}
	}
}

// The moves of a copy's loop over bytes count each address up: they wait for themselves.
func TestMovesOfACopyWaitForThemselves(t *testing.T) {
	c := NewCopy(0x200000, 0x100000, 3, 4)
	items := make([]Instruction, 64)
	n, err := c.Next(items)
	if err != nil || n != 3*5 {
		t.Fatalf("%d instructions for three bytes, want 15: %v", n, err)
	}
	for i := range items[:n] {
		in := &items[i]
		if in.Loads+in.Stores > 0 || in.Branch != 0 {
			continue
		}
		if in.Sources[0] == 0 || in.Sources[0] != in.Destinations[0] {
			t.Errorf("instruction %d reads register %d and writes %d", i, in.Sources[0], in.Destinations[0])
		}
	}
	if items[2].Sources[0] == items[3].Sources[0] || items[2].Sources[0] != items[0].Sources[0] || items[3].Sources[0] != items[1].Sources[0] {
		t.Errorf("moves of registers %d and %d, a load by %d and a store by %d", items[2].Sources[0], items[3].Sources[0], items[0].Sources[0], items[1].Sources[0])
	}
}
