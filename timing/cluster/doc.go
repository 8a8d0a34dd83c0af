// SPDX-License-Identifier: Apache-2.0

// Package cluster is what thread blocks of a cluster have in common: the SMs on which they
// are placed together, their barrier, and the network between those SMs. By that network they
// reach each other's shared memory (NVIDIA H100 whitepaper, sections on thread block clusters
// and distributed shared memory; PTX ISA 9.7.13.3 and 5.1.7).
//
// Nothing here has a time of its own. SMs call it in their cycles, and it answers with the
// cycle in which something has happened. All SMs of a launch in clusters run in one thread.
package cluster
