// SPDX-License-Identifier: Apache-2.0

package tracesizes

import (
	"math"

	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/traces"
)

// sizeFloor is the information in a workload's random inputs that its addresses
// show: no lossless file of its addresses can be smaller on average.
type sizeFloor struct {
	workload, what string
	bits           float64
}

// sizeFloors derives the floors from the parameters of the sizes small, which are in
// the workloads' host programs.
func sizeFloors() []sizeFloor {
	lnNodes, _ := math.Lgamma(1<<17 + 1)
	lnKeys, _ := math.Lgamma(1<<14 + 1)
	hill := noiseEntropy(24, 1)
	return []sizeFloor{
		{"aes", "16384 blocks of 10 rounds of 16 look-ups in tables of 256, all equally likely", 16384 * 10 * 16 * 8},
		{"spmv", "659,952 columns within 300 of the diagonal, once: log2(601) bits each", 659952 * math.Log2(601)},
		{"pointer-chase", "one cycle of 2^17 nodes, log2(2^17!) bits, and the starts of 128 + 4096 walks", lnNodes/math.Ln2 + (128+4096)*17},
		{"merge-sort", "the order of 2^14 keys, log2(2^14!) bits", lnKeys / math.Ln2},
		{"atomics-contention", "2^17 keys at 32 addresses, then at 1024: 5 + 10 bits each, seen once", 1 << 17 * 15},
		{"histogram", "2^20 bytes: noise of two dice of 49 sides, in bins of 4 and of 1", 1 << 20 * (noiseEntropy(24, 4) + hill)},
		{"image-histogram", "3 colours of 1024 x 1280 pixels with 8 equally likely levels, and 80 x 64 patches of 248 each", 3 * (1024*1280*3 + float64(80*64*math.Log2(248)))},
	}
}

// noiseEntropy is the entropy in bits of the sum of two even choices from -far to
// far, divided by the width of a bin, rounded down.
func noiseEntropy(far, bin int) float64 {
	sides := 2*far + 1
	counts := map[int]float64{}
	for a := range sides {
		for c := range sides {
			counts[(a+c)/bin]++
		}
	}
	bits := 0.0
	for i := range 2 * sides {
		if n := counts[i]; n > 0 {
			bits += float64(n * math.Log2(float64(sides*sides)/n))
		}
	}
	return bits / float64(sides*sides)
}

// floorRow compares a lower bound with the sizes of the files.
type floorRow struct {
	Workload, What     string
	Bytes, Stream      string
	StreamOver, XZOver float64
}

func floorRows(sizes *traces.FileSizes) []floorRow {
	var rows []floorRow
	for _, f := range sizeFloors() {
		s := sizes.Find(f.workload)
		if s == nil {
			continue
		}
		floor := f.bits / 8
		rows = append(rows, floorRow{
			Workload: f.workload, What: f.what, Bytes: numbers.Grouped(uint64(floor)), Stream: numbers.Grouped(uint64(s.Stream)),
			StreamOver: float64(s.Stream) / floor, XZOver: float64(s.XZ) / floor,
		})
	}
	return rows
}
