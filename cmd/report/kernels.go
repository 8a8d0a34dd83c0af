// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/counters"
)

// kernels adds up the launches of each kernel of each point.
type kernels struct {
	data *Dataset
	at   *coordinates

	kernel, bottleneck, evidence, limit        *Column
	launches, cycles, time, share, ipc, joules *Column
	slots                                      []*Column
	more                                       int // points whose kernels are left out
}

// mostKernels bounds the rows of a page.
const mostKernels = 50_000

func newKernels(s *study) *kernels {
	c := &kernels{data: NewDataset("kernels")}
	d := c.data
	c.at = s.coordinates(d)
	c.kernel = d.Words("kernel", "kernel")
	c.launches = d.Numbers("launches", "launches", "")
	c.cycles, c.time, c.share = d.Numbers("cycles", "cycles", "core cycles"), d.Numbers("time", "time", "ns"), d.Numbers("share", "share of all launches", "%")
	c.ipc, c.joules = d.Numbers("ipc", "IPC", "warp instructions/cycle"), d.Numbers("energy", "energy", "J")
	c.bottleneck = d.Words("bottleneck", "bottleneck of its longest launch")
	c.limit = d.Words("limit", "occupancy is limited by")
	c.evidence = d.Words("evidence", "evidence")
	for _, name := range slotNames() {
		c.slots = append(c.slots, d.Numbers("slots "+name, name, "issue slots"))
	}
	return c
}

// kernelSum is all launches of a kernel.
type kernelSum struct {
	launches            int
	cycles              int64
	nanoseconds, joules float64
	instructions        float64
	slots               []float64
	longest             *results.Section
}

func (c *kernels) add(p *point) error {
	if p.result == nil {
		return nil
	}
	sums := map[string]*kernelSum{}
	var order []string
	all := 0.0
	for i := range p.statistics.Launches {
		l := &p.statistics.Launches[i]
		k := sums[l.Kernel]
		if k == nil {
			k = &kernelSum{longest: l, slots: make([]float64, len(c.slots))}
			sums[l.Kernel] = k
			order = append(order, l.Kernel)
		}
		k.add(l)
		if i < len(p.result.Energy.Launches) {
			k.joules += p.result.Energy.Launches[i].Total().TotalJ()
		}
		all += l.Nanoseconds
	}
	if c.data.Len()+len(order) > mostKernels {
		c.more++
		return nil
	}
	for _, name := range order {
		c.row(p, name, sums[name], all)
	}
	return nil
}

func (k *kernelSum) add(l *results.Section) {
	k.launches++
	k.cycles += l.Cycles
	k.nanoseconds += l.Nanoseconds
	k.instructions += float64(l.Counters[counters.Declared(counters.IssuedWarp).Name])
	for i, name := range slotCounters() {
		k.slots[i] += float64(l.Counters[name])
	}
	if l.Cycles > k.longest.Cycles {
		k.longest = l
	}
}

func (c *kernels) row(p *point, name string, k *kernelSum, all float64) {
	c.at.add(p)
	c.kernel.Add(name)
	c.launches.AddNumber(float64(k.launches))
	c.cycles.AddNumber(float64(k.cycles))
	c.time.AddNumber(k.nanoseconds)
	c.share.AddNumber(100 * k.nanoseconds / all)
	c.ipc.AddNumber(k.instructions / float64(k.cycles))
	c.joules.AddNumber(k.joules)
	c.bottleneck.Add(k.longest.TopDown.Bottleneck)
	c.limit.Add(k.longest.OccupancyLimit)
	c.evidence.Add(k.longest.TopDown.Evidence)
	for i, v := range k.slots {
		if v == 0 {
			v = math.NaN()
		}
		c.slots[i].AddNumber(v)
	}
}

func (c *kernels) section() *Section {
	if c.data.Len() == 0 {
		return nil
	}
	var stack []string
	for _, s := range c.slots {
		stack = append(stack, s.Name)
	}
	choices := c.at.labels
	if len(c.kernel.words) > 1 {
		choices = concat(choices, []string{"kernel"})
	}
	s := &Section{ID: "kernels", Title: "Kernels", Text: []string{
		"All launches of a kernel are one row. Launches that run at the same time share cycles, so that their sum may be more than the time of the run.",
	}, Parts: []Part{{Table: &Table{
		Title: "Kernels by point", Dataset: c.data,
		Columns: concat(c.at.labels, []string{"kernel", "launches", "cycles", "time", "share", "ipc", "energy", "bottleneck", "limit", "evidence"}),
		Any:     choices, Code: []string{"kernel"}, Stack: stack, StackTitle: "causes", StackShare: true, Few: 20,
	}}}}
	if c.more > 0 {
		s.Parts = append(s.Parts, Part{Notes: []string{leftOut(c.more, "points have more kernels than a page holds")}})
	}
	return s
}
