// SPDX-License-Identifier: Apache-2.0

// Package offload is opportunistic computing (Pattnaik and others, ISCA 2019).
// Load-compute-store chains execute at the memory partition that holds their data
// (LLC-Compute), or at the core where the ways of their data meet (Omni-Compute).
//
// It plugs into three seams. Arrange tags the chains of a kernel and makes them
// contiguous (package chains). Offload takes their instructions at issue into the
// core's offload queue. Memory puts the queues around the memory path, as an offloader
// of its networks and slices.
//
// The way of a chain: its first load is looked up in the L1; a hit, or a full
// queue, leaves the chain to the core. Its last instruction divides the lanes by
// the lines that they touch, and sends a packet for each part to the node where the
// part's data meet; the warp waits. A service queue there loads the operands,
// computes, stores and answers. Lanes without such a node, and chains that a full
// service queue sends back, are executed by the offload queue on its own core.
//
// Everything here is done in core cycles: network and slices have clocks of their
// own, and what they hand over is seen at the next core cycle.
package offload
