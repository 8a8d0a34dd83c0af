// SPDX-License-Identifier: Apache-2.0

// Package tlb has the parts of address translation: translation lookaside
// buffers of any associativity, the page table of several address spaces, and
// the outstanding walks of a TLB. They are state without time; their owner
// gives the cycles and counts.
//
// An address space has 48 bits of virtual address, as x86-64 and ARMv8 with 4 KiB
// pages; see Fold for the windows of a GPU that lie above.
package tlb
