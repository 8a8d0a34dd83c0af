// SPDX-License-Identifier: Apache-2.0

// Package mechanisms links every mechanism: a program that imports it knows their sections,
// overlays and counters.
package mechanisms

import (
	_ "github.com/warptape/warptape/timing/affine/dac"    // decoupled affine computation
	_ "github.com/warptape/warptape/timing/buddy"         // clusters of SMs that issue together
	_ "github.com/warptape/warptape/timing/cae"           // compact affine execution
	_ "github.com/warptape/warptape/timing/cpu"           // cores next to the SMs
	_ "github.com/warptape/warptape/timing/eesi"          // lanes with their own fetch
	_ "github.com/warptape/warptape/timing/mta"           // many-thread-aware prefetching
	_ "github.com/warptape/warptape/timing/offload"       // chains of instructions that execute elsewhere
	_ "github.com/warptape/warptape/timing/perfectmemory" // memory without latency
	_ "github.com/warptape/warptape/timing/prefetch"      // prefetchers of caches
	_ "github.com/warptape/warptape/timing/soc"           // cores and SMs on one chip
	_ "github.com/warptape/warptape/timing/tesla"         // the multiprocessor of the Tesla-like GPGPU
	_ "github.com/warptape/warptape/timing/tinycache"     // lane caches
	_ "github.com/warptape/warptape/timing/wide"          // warps of 64 and 128 threads
)
