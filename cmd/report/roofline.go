// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
)

// roofline shows how near points come to what issue slots, L2 and DRAM allow. It is the
// instruction roofline of Ding and Williams, "An Instruction Roofline Model for GPUs"
// (PMBS 2019), with bytes in the place of transactions.
type roofline struct {
	study *study
	data  *Dataset
	at    *coordinates

	architecture, reason *Column
	intensity, rate      *Column

	limits     *Dataset
	name       *Column
	machine    *Column
	peak       *Column
	dram, l2   *Column
	seen       map[string]bool
	unlimited  []string // machines without roofs, with reasons
	anyResults bool
}

func newRoofline(s *study) *roofline {
	c := &roofline{study: s, data: NewDataset("points"), limits: NewDataset("machines"), seen: map[string]bool{}}
	c.at = s.coordinates(c.data)
	c.architecture = c.data.Words(columnArchitecture, "architecture")
	c.reason = c.data.Words(columnReason, "why there is no result")
	c.intensity = c.data.Numbers("intensity", "warp instructions per DRAM byte", "1/B")
	c.rate = c.data.Numbers("rate", "warp instructions issued", "10⁹/s")
	c.name = c.limits.Words(columnArchitecture, "architecture")
	c.machine = c.limits.Words(columnMachine, "machine")
	c.peak = c.limits.Numbers("peak", "all issue slots", "10⁹/s")
	c.dram = c.limits.Numbers("dram", "DRAM bandwidth", "GB/s")
	c.l2 = c.limits.Numbers("l2", "L2 bandwidth", "GB/s")
	return c
}

func (c *roofline) add(p *point) error {
	c.at.add(p)
	c.architecture.Add(p.planned.Architecture)
	reason := ""
	if p.missing != "" {
		reason = p.state + ": " + p.missing
	}
	if p.result == nil {
		c.reason.Add(reason)
		c.intensity.AddNumber(math.NaN())
		c.rate.AddNumber(math.NaN())
		return nil
	}
	c.anyResults = true
	count := func(id counters.ID) float64 { return float64(p.statistics.Total.Counters[counters.Declared(id).Name]) }
	issued, bytes := count(counters.IssuedWarp), count(counters.DRAMReadBytes)+count(counters.DRAMWriteBytes)
	if bytes == 0 {
		reason = "moves no bytes to or from DRAM"
	}
	c.reason.Add(reason)
	c.intensity.AddNumber(issued / bytes)
	c.rate.AddNumber(issued / p.statistics.Total.Nanoseconds)
	c.limit(p)
	return nil
}

// limit adds the roofs of a point's machine.
func (c *roofline) limit(p *point) {
	spec := p.planned.Architecture
	if c.seen[spec] {
		return
	}
	c.seen[spec] = true
	m, err := c.study.machines.of(p)
	if err != nil {
		c.unlimited = append(c.unlimited, "no roof: "+err.Error())
		return
	}
	peaks := m.Peaks()
	c.name.Add(spec)
	c.machine.Add(p.planned.Machine)
	c.peak.AddNumber(float64(m.GPU.SMs*m.SM.Schedulers*m.SM.IssuePerScheduler) * m.Clocks.CoreMHz / 1000)
	c.dram.AddNumber(peaks.DRAMGigabytes)
	l2 := peaks.L2Gigabytes
	if l2 == 0 {
		l2 = math.NaN() // there is none
	}
	c.l2.AddNumber(l2)
}

func (c *roofline) section() *Section {
	if !c.anyResults {
		return nil
	}
	s := &Section{ID: "roofline", Title: "Roofline", Text: []string{
		"The flat roofs are the most warp instructions that the schedulers of a machine issue; the sloped ones are what its DRAM moves. A point below the slope is limited by DRAM bandwidth at most as far as the distance says; one below the flat roof by issue slots. Points far below both wait for something else: see the causes of issue slots.",
	}, Parts: []Part{{Chart: &Chart{
		Kind: Scatter, Title: "Instruction roofline", Dataset: c.data, X: Role{"intensity"}, Y: Role{"rate"}, Colour: append(Role{columnMachine, columnTrace}, c.at.parameters()...),
		Label: c.at.labels, Any: append([]string{columnTrace, columnMachine}, c.at.parameters()...), Reason: columnReason, Log: true,
		Roofs: &Roofs{Dataset: c.limits, Group: columnArchitecture, Name: columnMachine, Peak: "peak", Slopes: []string{"dram"}},
	}}, {Table: &Table{Title: "Limits of the machines", Dataset: c.limits, Columns: []string{columnArchitecture, "peak", "dram", "l2"}, Few: 10}}}}
	if len(c.unlimited) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.unlimited})
	}
	return s
}
