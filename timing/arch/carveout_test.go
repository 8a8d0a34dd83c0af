// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"strings"
	"testing"
)

const kib = 1 << 10

// What the CUDA C programming guide gives per compute capability: the array that L1 and shared
// memory divide, and the sizes of shared memory.
func TestL1AndSharedMemoryOfCardsDivideOneArray(t *testing.T) {
	for name, card := range map[string]struct {
		unified int
		shared  []int
	}{
		"v100":      {128, []int{0, 8, 16, 32, 64, 96}},
		"qv100-ref": {128, []int{0, 8, 16, 32, 64, 96}},
		"rtx2080ti": {96, []int{32, 64}},
		"rtx3090":   {128, []int{0, 8, 16, 32, 64, 100}},
		"a100":      {192, []int{0, 8, 16, 32, 64, 100, 132, 164}},
		"h100":      {256, []int{0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
	} {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		wayBytes := m.L1.Bytes / m.L1.Ways
		for i, shared := range card.shared {
			least := 0
			if i > 0 {
				least = card.shared[i-1]*kib + 1
			}
			for _, bytes := range []int{least, shared * kib} {
				carveout := m.Shared.Carveout(bytes)
				if l1 := wayBytes * m.L1Ways(carveout); carveout != shared*kib || l1 != (card.unified-shared)*kib {
					t.Errorf("%s: %d bytes of shared memory have %d, and the L1 %d; want %d and %d KiB", name, bytes, carveout, l1, shared, card.unified-shared)
				}
			}
		}
		if wide := m.WidestL1(); wide.Bytes != (card.unified-card.shared[0])*kib || wide.Sets() != m.L1.Sets() {
			t.Errorf("%s: the widest L1 has %d bytes in %d sets", name, wide.Bytes, wide.Sets())
		}
	}
}

func TestOneDivisionStaysOne(t *testing.T) {
	for _, name := range []string{"gtx480", "gpsim-tiny", "v100+set(shared_memory.carveouts=none,l1.unified_bytes=0)", "v100+l1-off"} {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range []int{0, 1, m.Shared.Bytes} {
			if ways := m.L1Ways(m.Shared.Carveout(bytes)); m.L1.Bytes > 0 && ways != m.L1.Ways {
				t.Errorf("%s: %d bytes of shared memory leave %d ways of %d", name, bytes, ways, m.L1.Ways)
			}
		}
		if wide := m.WidestL1(); wide != m.L1 && m.L1.Bytes > 0 {
			t.Errorf("%s: the widest L1 is %+v", name, wide)
		}
	}
}

// With twice the shared memory, launches that need no more have the L1 that they had.
func TestMoreSharedMemoryTakesNothingFromTheL1(t *testing.T) {
	m, err := Load("v100+set(shared_memory.bytes=192KiB)")
	if err != nil {
		t.Fatal(err)
	}
	for bytes, want := range map[int]int{0: 256, 32 * kib: 192, 96 * kib: 64, 150 * kib: 64} {
		if got := m.L1Ways(m.Shared.Carveout(bytes)); got != want {
			t.Errorf("%d bytes leave %d ways, not %d", bytes, got, want)
		}
	}
}

func TestDivisionsThatCannotBeAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"shared_memory.carveouts=none":              "give both, or none and 0",
		"l1.unified_bytes=0":                        "give both, or none and 0",
		"shared_memory.carveouts=sizes(0)":          "no launch has shared memory",
		"shared_memory.carveouts=all":               "write none, or sizes that grow",
		"shared_memory.carveouts=sizes(8KiB,8KiB)":  "8KiB comes after 8KiB",
		"shared_memory.carveouts=sizes(0,8KB)":      "is not a size",
		"l1.replacement=fifo":                       "fifo chooses of 64 ways at most, and the cache has up to 256",
		"l2.slice.replacement=nru,l2.slice.ways=96": "l2.slice.replacement: nru",
		"l2.slice.unified_bytes=20KiB":              "with the L1 alone",
	} {
		if _, err := Load("v100+set(" + set + ")"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", set, err, want)
		}
	}
}

// Sizes that sweeps take keep their meaning: Bytes with the largest shared memory, and a size
// above all of the array alone.
func TestL1sOfOtherSizesAreDivided(t *testing.T) {
	for set, want := range map[string][2]int{ // KiB of the L1 without shared memory, and with 96 KiB of it
		"l1.ways=8":                                  {128, 32},
		"l1.ways=16,l1.replacement=fifo":             {128, 32},
		"l1.bytes=64KiB":                             {128, 64},
		"l1.bytes=16KiB,l1.ways=32":                  {128, 16},
		"l1.bytes=256KiB":                            {256, 256},
		"l1.bytes=32KiB,l1.ways=1":                   {128, 32},
		"l1.unified_bytes=200KiB,l1.ways=16":         {200, 32},
		"l1.unified_bytes=127KiB,l1.ways=4":          {120, 32}, // whole ways of 8 KiB
		"l1.write=back_allocate,l1.allocate=on_miss": {128, 32},
	} {
		m, err := Load("v100+set(" + set + ")")
		if err != nil {
			t.Error(err)
			continue
		}
		way := m.L1.Bytes / m.L1.Ways
		if got := [2]int{m.L1Ways(0) * way / kib, m.L1Ways(96*kib) * way / kib}; got != want {
			t.Errorf("%s: the L1 has %v KiB, want %v", set, got, want)
		}
	}
	m, err := Load("v100+big-l1")
	if err != nil {
		t.Fatal(err)
	}
	if way := m.L1.Bytes / m.L1.Ways; m.L1Ways(0)*way != 512*kib || m.L1Ways(96*kib)*way != 128*kib || m.L1Ways(64*kib)*way != 256*kib {
		t.Error("big-l1 does not make the L1 four times as large with each size of shared memory")
	}
}
