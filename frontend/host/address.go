// SPDX-License-Identifier: Apache-2.0

package host

// HostBase is the host address of the first host array. Every device buffer
// that is copied has one host array as its counterpart; they follow each other
// from HostBase on, each at the start of a page. The base is far from device
// addresses, so that a model that gives both sides one address space can tell
// them apart.
const HostBase = 0x7f00_0000_0000

// PageBytes is the alignment of host arrays.
const PageBytes = 4096

// addressSpace gives out host addresses: it is a bump allocator, so that the
// same program always gets the same ones.
type addressSpace struct{ next uint64 }

func (a *addressSpace) allocate(bytes uint64) uint64 {
	at := a.next
	a.next += (bytes + PageBytes - 1) &^ (PageBytes - 1)
	return at
}
