// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// A device whose shared memory begins at 0x400, and whose clusters have a thread block's rank in
// the upper byte of an address: the own and the first thread block's look alike, as long as the
// own is the first.
func TestAddressesOfADeviceThatPlacesClustersOtherwise(t *testing.T) {
	const window, at, trace = 0x7f00_0000_0000, 0x400, 64
	p := places{read: true, maps: true, unmapped: true}
	p.spaces[0].add(placed{at, trace, 256}, window)
	p.mapped.add(placed{at, trace, 256}, 0)
	p.mappedGeneric.add(placed{window + at, trace, 256}, 0)
	ranked := func(rank, address uint64) uint64 { return (rank+1)<<contamination.RankShift + address }
	for _, c := range []struct {
		what  string
		space ptx.Space
		from  uint64
		own   int
		want  uint64 // zero for none
	}{
		{"its own", ptx.SpaceShared, at + 4, 2, trace + 4},
		{"its own, generic", ptx.SpaceGeneric, window + at + 4, 2, memory.SharedWindowBase + trace + 4},
		{"another's", ptx.SpaceShared, ranked(3, at+8), 2, coexecution.ClusterAddress(trace+8, 3)},
		{"another's, generic", ptx.SpaceGeneric, ranked(3, window+at+8), 2, memory.SharedWindowBase + coexecution.ClusterAddress(trace+8, 3)},
		{"the first's", ptx.SpaceShared, ranked(0, at), 2, coexecution.ClusterAddress(trace, 0)},
		{"the first's own", ptx.SpaceShared, ranked(0, at), 0, trace},
		{"behind what is there", ptx.SpaceShared, ranked(3, at+256), 2, 0},
		{"global memory", ptx.SpaceGlobal, 0x7e00_0000_1000, 2, 0x7e00_0000_1000},
	} {
		if got, ok := p.translate(c.space, c.from, c.own); ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("%s: 0x%x, %t, want 0x%x", c.what, got, ok, c.want)
		}
	}
}

// A parameter's addresses are its own only, and generic ones only where the kernel makes such.
func TestAddressesOfParametersOfADevice(t *testing.T) {
	const window, at = 0x10_0000, 0x210
	p := places{read: true, genericParams: true}
	p.spaces[placedParam].add(placed{at, 8, 64}, window)
	for _, c := range []struct {
		space ptx.Space
		from  uint64
		want  uint64
	}{
		{ptx.SpaceParam, at + 4, 12},
		{ptx.SpaceParam, at + 64, 0},
		{ptx.SpaceParam, at - 1, 0},
		{ptx.SpaceGeneric, window + at + 4, memory.ParamWindowBase + 12},
		{ptx.SpaceGeneric, window + at + 64, window + at + 64},
	} {
		if got, ok := p.translate(c.space, c.from, 0); ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("0x%x: 0x%x, %t, want 0x%x", c.from, got, ok, c.want)
		}
	}
	p.genericParams = false
	if got, ok := p.translate(ptx.SpaceGeneric, window+at, 0); !ok || got != window+at {
		t.Errorf("0x%x, %t", got, ok)
	}
}
