// SPDX-License-Identifier: Apache-2.0

package contaminated

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/interpreter"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/traces"
)

// overhead counts what contamination adds to the run of a workload, straight through.
type overhead struct {
	Workload                      string
	Instructions, Added           uint64 // of warps
	Threads, Visits, ThreadVisits uint64
	LogBytes, AccessBytes         uint64
	Accesses, Coalesced, Atomics  uint64
}

// counter takes a recording and counts; as a coexecutor it is the interpreter.
type counter struct {
	interpreter.Interpreter
	kernels map[*trace.Kernel]*contaminator.Kernel
	loaded  []*counted
	current *counted
	launch  trace.Launch
	total   overhead
	// left are the instructions of each warp's visit that are to come, by warp.
	left map[int][]int
}

// counted is a kernel with what is added to it.
type counted struct {
	kernel   *contaminator.Kernel
	static   *trace.Kernel
	prologue []int       // by unit
	entries  map[int]int // units by the segments that they begin with
	added    []int       // by instruction
	sites    []contamination.Site
}

// Load keeps the kernel.
func (c *counter) Load(k *contaminator.Kernel) (coexecution.Program, error) {
	c.kernels[k.Static] = k
	return c.Interpreter.Load(k)
}

func (c *counter) UpdateHeader(func(*trace.Header))      {}
func (c *counter) AddEvent(trace.HostEvent) (int, error) { return 0, nil }
func (c *counter) EndLaunch() error                      { return nil }

func (c *counter) AddKernel(s *trace.Kernel) (int, error) {
	k := c.kernels[s]
	r, err := contamination.Rewrite([]*contaminator.Kernel{k}, contamination.Options{})
	if err != nil {
		return 0, err
	}
	n := &counted{kernel: k, static: s, prologue: r.Kernels[0].Prologue, entries: map[int]int{}}
	for u := range k.Units[1:] {
		n.entries[k.Units[u+1].Entry] = u + 1
	}
	for i := range k.Segments {
		for _, next := range k.Segments[i].Successors {
			if u, entry := n.entries[next]; entry {
				return 0, fmt.Errorf("%s: function %s comes back to its begin, which is not counted", k.PTX.Position, k.Units[u].PTX.Function.Name)
			}
		}
	}
	for i := range k.PTX.Body {
		n.added = append(n.added, r.Added[r.Of(&k.PTX.Body[i])])
		n.sites = append(n.sites, contamination.SiteOf(k, i))
	}
	c.loaded = append(c.loaded, n)
	return len(c.loaded) - 1, nil
}

func (c *counter) BeginLaunch(l trace.Launch, _ ...int) (int, error) {
	c.current, c.launch = c.loaded[l.Kernel], l
	c.total.Threads += l.Grid.Count() * l.Block.Count()
	return 0, nil
}

func (c *counter) BeginBlock(uint64) {
	c.left = map[int][]int{}
	warps := (c.launch.Block.Count() + 31) / 32
	c.total.Added += warps * uint64(c.current.prologue[0])
}

func (c *counter) EndBlock() error { return nil }

func (c *counter) Visit(warp int, segment, mask uint32) {
	s := &c.current.kernel.Segments[segment]
	t := &c.total
	t.Visits++
	t.ThreadVisits += uint64(bits.OnesCount32(mask))
	t.Instructions += uint64(s.Count)
	if u, entry := c.current.entries[int(segment)]; entry {
		t.Added += uint64(c.current.prologue[u])
	}
	c.log(8)
	var memory []int
	for i := s.First; i < s.First+s.Count; i++ {
		t.Added += uint64(c.current.added[i])
		site := &c.current.sites[i]
		for _, v := range site.Values() {
			if v.Low != site.Address {
				c.log(24)
			}
		}
		if contamination.Logged(site.Predicate) {
			c.log(16)
		}
		if site.Jumps {
			c.log(16)
		}
		if site.Address != nil || site.Bulk != nil {
			memory = append(memory, i)
		}
	}
	c.left[warp] = memory
}

// log counts one record.
func (c *counter) log(n uint64) {
	c.total.LogBytes += n
	c.total.Atomics++
}

func (c *counter) Guard(int, uint32) { c.log(16) }

func (c *counter) Access(warp int, mask uint32, _ *[trace.WarpSize]uint64) {
	c.access(warp, mask, 8+8*uint64(bits.OnesCount32(mask)))
}

func (c *counter) AccessStrided(warp int, mask uint32, _ uint64, _ int64) { c.access(warp, mask, 24) }

func (c *counter) access(warp int, mask uint32, n uint64) {
	i := c.left[warp][0]
	c.left[warp] = c.left[warp][1:]
	in := &c.current.static.Instructions[i]
	if in.Space == trace.SpaceGlobal || in.Space == trace.SpaceGeneric {
		c.total.AccessBytes += uint64(bits.OnesCount32(mask)) * uint64(in.LaneBytes)
	}
	if !contamination.Logged(c.current.sites[i].Address) || mask == 0 {
		return
	}
	c.total.Accesses++
	if n == 24 {
		c.total.Coalesced++
	}
	c.log(n)
}

// count runs a workload and counts.
func count(name string) (overhead, error) {
	w, err := traces.Find(name)
	if err != nil {
		return overhead{}, err
	}
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		return overhead{}, err
	}
	c := &counter{kernels: map[*trace.Kernel]*contaminator.Kernel{}}
	_, err = p.Run(context.Background(), host.Options{Size: "tiny", Seed: 1, Sink: c, Coexecutor: c, Workers: 1})
	c.total.Workload = name
	return c.total, err
}
