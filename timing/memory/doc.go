// SPDX-License-Identifier: Apache-2.0

// Package memory is the baseline memory path. Each SM has a load-store port
// with coalescer, shared memory, L1, constant and instruction cache. A request
// and a reply network connect it with memory partitions with L2 slices, an
// optional last-level cache and a DRAM channel. It implements
// seam.MemorySystem.
//
// Order of time: everything beyond the ports advances in System.Advance, in its own
// clock domains; a port advances when its SM calls Port.Cycle. What one component hands
// to another is seen at the receiver's next clock edge, never at the same instant. So
// no result depends on an order of calls within an instant. A component without work is
// not called; whatever it waits for wakes it.
//
// Back-pressure: every queue is finite. A full DRAM queue stops the miss queue of a
// slice, that its tags, and those its input. The input stops the request network, that
// the miss queues of the ports, and those the load-store units. Replies have a network
// of their own and are always accepted by the SM, so the chain cannot close into a
// deadlock.
package memory
