package cpu

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
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
