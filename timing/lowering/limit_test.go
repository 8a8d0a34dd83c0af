// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
)

// A thread has no more registers than its directives allow (PTX ISA 11.4), on an SM of 65536
// registers, handed out by 256 to a warp, with 1024 threads.
func TestDirectivesBoundRegisters(t *testing.T) {
	target := lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256}
	for _, c := range []struct {
		name                               string
		maxRegisters, maxThreads, minBlock uint32
		budget                             lowering.Budget
		want                               int
	}{
		{"nothing is said", 0, 0, 0, lowering.Budget{}, 255},
		{".maxnreg", 40, 0, 0, lowering.Budget{}, 40},
		{"512 threads of 65536 registers", 0, 512, 0, lowering.Budget{}, 128},
		{"a smaller launch is bounded as well: it was compiled for more", 0, 512, 0, lowering.Budget{BlockThreads: 64}, 128},
		{"a larger launch", 0, 0, 0, lowering.Budget{BlockThreads: 1024}, 64},
		{"two blocks of 256 threads", 0, 256, 2, lowering.Budget{}, 128},
		{"four of 256", 0, 256, 4, lowering.Budget{}, 64},
		{"eight of 256 do not fit, and are not asked for", 0, 256, 8, lowering.Budget{}, 255},
		{".minnctapersm means nothing alone", 0, 0, 8, lowering.Budget{}, 255},
		{"the least of all", 100, 256, 2, lowering.Budget{BlockThreads: 256, Registers: 90}, 90},
		{"the vendor's compiler took fewer than ours can", 0, 0, 0, lowering.Budget{Registers: 8}, 16},
	} {
		k := shapes["sums"](200)
		k.MaxRegisters, k.MaxThreads, k.MinBlocksPerSM = c.maxRegisters, c.maxThreads, c.minBlock
		l, err := lowering.Lower(k, target, c.budget)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if l.Budget != c.want || int(l.Kernel.RegistersPerThread) > c.want {
			t.Errorf("%s: a thread may have %d registers and has %d, want no more than %d", c.name, l.Budget, l.Kernel.RegistersPerThread, c.want)
		}
	}
	k := shapes["sums"](200)
	k.MaxRegisters = 8
	if _, err := lowering.Lower(k, target, lowering.Budget{}); err == nil || !strings.Contains(err.Error(), "a thread may have 8 registers, and the lowering needs 16 at least: allow more (its .maxnreg") {
		t.Errorf(".maxnreg 8: %v", err)
	}
}
