// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"sort"

	"github.com/warptape/warptape/frontend/host"
)

// hostMap gives memory of the program addresses that do not depend on where its system put
// it. Each range that a copy goes to or comes from gets the next free pages, unless an
// earlier one contains it. Of its place within the page only what stackAlign leaves stays.
type hostMap struct {
	ranges []hostRange // by real address; they do not overlap
	next   uint64
}

// stackAlign is the alignment of a program's stack in bytes (System V ABI for AMD64 and for
// AArch64). Where in its page the stack begins depends on the environment's length.
const stackAlign = 16

type hostRange struct{ real, n, recorded uint64 }

func newHostMap() *hostMap { return &hostMap{next: host.HostBase} }

// find gives the recorded address of a range that is known.
func (h *hostMap) find(at, n uint64) (uint64, bool) {
	i := sort.Search(len(h.ranges), func(i int) bool { return h.ranges[i].real > at }) - 1
	if i < 0 || at-h.ranges[i].real > h.ranges[i].n || n > h.ranges[i].n-(at-h.ranges[i].real) {
		return 0, false
	}
	return h.ranges[i].recorded + at - h.ranges[i].real, true
}

// place gives the recorded address of a range, and whether it is new. A new one takes the
// place of those that it overlaps: the program has laid out its memory anew.
func (h *hostMap) place(at, n uint64) (recorded uint64, isNew bool) {
	if recorded, ok := h.find(at, n); ok {
		return recorded, false
	}
	within := at % stackAlign
	r := hostRange{at, n, h.next + within}
	h.next += (within + n + host.PageBytes - 1) / host.PageBytes * host.PageBytes
	first := sort.Search(len(h.ranges), func(i int) bool { return h.ranges[i].real+h.ranges[i].n > at })
	last := first
	for last < len(h.ranges) && h.ranges[last].real < at+n {
		last++
	}
	h.ranges = append(h.ranges[:first], append([]hostRange{r}, h.ranges[last:]...)...)
	return r.recorded, true
}
