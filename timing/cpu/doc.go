// SPDX-License-Identifier: Apache-2.0

// Package cpu models the CPU side of a chip: trace-driven cores, each with a
// private TLB and private caches, that ask the chip (Chip) for translations and
// lines. GPSim thesis Table 4.2 names the default core: four instructions wide, out
// of order, 256-entry reorder buffer, 3 GHz.
//
// The cores know nothing of what shares the last-level cache with them: another
// cluster, a GPU, or nothing. The chip knows nothing of pipelines.
package cpu
