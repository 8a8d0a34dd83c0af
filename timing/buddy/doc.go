// SPDX-License-Identifier: Apache-2.0

// Package buddy models Buddy SM (Zhang, Jing, Jiang, Shu, Wu and Liang, "Buddy SM:
// Sharing Pipeline Front-End for Improved Energy Efficiency in GPGPUs", ACM TACO
// 12(2), 2015). Clusters of neighbouring SMs issue the same instructions in the
// same cycles, by one front end.
//
// A cluster is split into groups (formation). The SM with the lowest index of a
// group is its master; the front ends of the others, the slaves, have no supply
// but for their SIMT stacks (section 4.1). An instruction issues when it can on
// every member, and travels over the cluster's network in a stage of its own
// between issue and operand read (section 4.7, Fig. 8). Loads of slaves stay in
// the master's scoreboard until their acknowledgements have arrived (section
// 4.2). When the members' paths part, the group is ungrouped after a ramp-down
// (section 4.5), until the next kernel or the next common reconvergence point
// (section 4.6).
//
// It plugs into two seams. One is the front ends, which drive the SMs of a
// cluster. The other is dispatch, which gives the members of a group their
// thread blocks together (section 4.3) and chooses formations (section 4.8).
package buddy
