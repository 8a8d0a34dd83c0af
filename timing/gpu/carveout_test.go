// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Each launch has the least shared memory that holds all thread blocks that fit otherwise. From
// the Ampere generation on, each thread block takes a KiB more.
func TestALaunchHasTheSharedMemoryOfItsResidentBlocks(t *testing.T) {
	const kib = 1 << 10
	k := gputest.NewKernel("k").Op(trace.ClassIntAdd, 1, 1).Exit()
	launches := []gputest.Launch{
		{Kernel: k, Blocks: 3, Threads: 64},                           // as many blocks as an SM has
		{Kernel: k, Blocks: 3, Threads: 1024, DynamicBytes: 5 * kib},  // two blocks, or one, of all threads
		{Kernel: k, Blocks: 3, Threads: 512, DynamicBytes: 20 * kib},  // four blocks, three, or two
		{Kernel: k, Blocks: 3, Threads: 1024, DynamicBytes: 33 * kib}, // two blocks, or one
		{Kernel: k, Blocks: 3, Threads: 64, DynamicBytes: 1},          // 256 or 128 bytes for each of all blocks
	}
	for name, want := range map[string][]int{
		"v100":      {0, 16, 96, 96, 8},     // 2048 threads, 32 blocks
		"rtx2080ti": {32, 32, 64, 64, 32},   // 1024 threads, 16 blocks
		"rtx3090":   {16, 8, 64, 64, 32},    // 1536 threads, 16 blocks: 16 and 20 KiB of the smallest
		"a100":      {32, 16, 100, 100, 64}, // 2048 threads, 32 blocks: 32 and 40 KiB of the smallest
		"h100":      {32, 16, 100, 100, 64}, // the same
		"gtx480":    {48, 48, 48, 48, 48},   // one division
	} {
		var got []int
		memory := &gputest.Memory{LatencyCycles: 5, Begun: func(_ int, k seam.KernelStart) { got = append(got, k.Carveout/kib) }}
		replay(t, build(t, builtIn(t, name), memory), launches...)
		if diff := cmp.Diff(want, slices.Clip(got)); diff != "" {
			t.Errorf("%s: KiB of shared memory by launch: %s", name, diff)
		}
	}
}
