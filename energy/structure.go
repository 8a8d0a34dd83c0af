// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// structures adds what the mechanisms that are on bring.
func (b *builder) structures() {
	for _, key := range b.machine.Mechanisms() {
		section := b.machine.Section(key)
		for _, s := range section.Structures(b.machine) {
			b.declared(key, &s)
		}
		if gated, ok := section.(arch.PowerGated); ok {
			for _, g := range gated.PowerGates(b.machine) {
				b.gate(key, &g)
			}
		}
	}
}

// declared adds a structure of a mechanism.
func (b *builder) declared(key string, s *arch.Structure) {
	path, ok := strings.CutPrefix(s.Path, "chip/")
	if !ok || path == "" || s.Count < 0 || s.Source == "" {
		b.fail(fmt.Errorf("BUG: structure %q of %s needs a path below chip, a count and a source", s.Path, key))
		return
	}
	if b.overlaps(s.Path) {
		b.fail(fmt.Errorf("BUG: %s brings the component %s, where there is one already", key, s.Path))
		return
	}
	if s.Count == 0 {
		return
	}
	for _, ch := range s.Charges {
		if !usable(s.Kind, ch.Use) {
			b.fail(fmt.Errorf("BUG: %s: %s has no use %d for %s", key, s.Path, ch.Use, ch.Counter))
			return
		}
	}
	if s.PowerW != 0 {
		s = b.resting(key, s)
	}
	cost := b.costOf(key+": "+s.Path, s)
	parts := []part{{"", cost.whole, s.Charges}}
	if cost.split {
		parts = []part{{"/tags", cost.tags, tagCharges(s.Charges)}, {"/data", cost.whole, s.Charges}}
	}
	for _, p := range parts {
		c := b.add(path + p.name)
		c.Added, c.Hierarchy = true, s.MemoryHierarchy
		for _, ch := range p.charges {
			c.charge(p.price(&ch), b.counterOf(key, ch.Counter))
		}
		c.structure(p.estimate, float64(s.Count))
	}
}

// resting gives a structure a static power: its whole power less that of its uses.
// Both hold for the node of the publication, at nominal voltage.
func (b *builder) resting(key string, s *arch.Structure) *arch.Structure {
	there := *b
	there.tech = Technology{NodeNM: cmp.Or(s.GivenNM, b.machine.Technology.NodeNM), LowPower: b.tech.LowPower, TemperatureK: referenceKelvin, VoltageRatio: 1}
	of := part{estimate: there.costOf(key+": "+s.Path, s).whole}
	if there.err != nil {
		b.fail(there.err)
	}
	rest := s.PowerW
	for i := range s.Charges {
		ch := &s.Charges[i]
		rest -= float64(float64(of.price(ch)*ch.PerCycle) * s.PowerMHz * 1e-6)
	}
	if !(rest >= 0) || !(s.PowerMHz > 0) {
		b.fail(fmt.Errorf("%s: %s: the power of %g W at %g MHz is less than what its uses take; its sizes are outside what the power was fitted to", b.machine.Name, s.Path, s.PowerW, s.PowerMHz))
	}
	out := *s
	out.LeakageW = float64(rest * b.machine.Clocks.CoreMHz / s.PowerMHz)
	return &out
}

// usable says what can be done with structures of a kind: the search of a cache
// looks up its tags.
func usable(kind arch.StructureKind, use arch.StructureUse) bool {
	switch kind {
	case arch.RAM:
		return use == arch.Read || use == arch.Write
	case arch.CacheArray, arch.CAM:
		return use != arch.Operate
	}
	return use == arch.Operate
}

// part is a leaf of a structure.
type part struct {
	name     string
	estimate sram.Estimate
	charges  []arch.StructureCharge
}

// price is what an event of the charge costs.
func (p *part) price(ch *arch.StructureCharge) float64 {
	share := ch.Share
	if share == 0 {
		share = 1
	}
	switch ch.Use {
	case arch.Write:
		return p.estimate.WritePJ * share
	case arch.Search:
		return p.estimate.SearchPJ * share
	}
	return p.estimate.ReadPJ * share // also operations
}

// tagCharges are the charges of tags: whole, however little of the data is used.
func tagCharges(charges []arch.StructureCharge) []arch.StructureCharge {
	list := make([]arch.StructureCharge, len(charges))
	for i, ch := range charges {
		list[i] = ch
		if ch.Share < 1 {
			list[i].Share = 1
		}
	}
	return list
}

// cost is what a structure costs; tags apart when split.
type cost struct {
	whole, tags sram.Estimate
	split       bool
}

// costOf prices a structure: given values win over the model's.
func (b *builder) costOf(key string, s *arch.Structure) cost {
	var c cost
	switch s.Kind {
	case arch.RAM:
		c.whole = b.array(key, s.Entries, s.EntryBits, s.Ports)
	case arch.CacheArray:
		c.tags, c.whole = b.tagged(key, s)
		c.split = true
	case arch.CAM:
		c.whole = b.searched(key, s)
	case arch.Logic:
		c.whole = b.operation(key, s)
	case arch.Wire:
		const flitBits = 256 // what the link's coefficients are for
		wires := float64(s.EntryBits) / flitBits * s.MillimetresLong
		c.whole.ReadPJ = b.energy("network.link_pj_per_mm") / flitBits * s.MillimetresLong
		c.whole.LeakageMW = wires * b.value("network.link_leakage_mw_per_mm") * b.tech.leakage()
		c.whole.AreaMM2 = wires * b.area("network.link_mm2_per_mm")
	default:
		b.fail(fmt.Errorf("BUG: %s: structure of kind %d", key, s.Kind))
	}
	if s.ReadPJ != 0 || s.WritePJ != 0 || s.SearchPJ != 0 || s.LeakageW != 0 || s.AreaMM2 != 0 {
		c = cost{whole: b.published(addEstimates(c.whole, c.tags), s)}
	}
	return c
}

// published puts given values in the place of the model's. They hold for a node,
// from which they are scaled as logic is: no array's size is known to be theirs.
func (b *builder) published(e sram.Estimate, s *arch.Structure) sram.Estimate {
	node := s.GivenNM
	if node == 0 {
		node = b.machine.Technology.NodeNM
	}
	dynamic := logicScale(node, b.tech.NodeNM) * b.tech.dynamic()
	area := areaScale(node, b.tech.NodeNM)
	for _, v := range []struct {
		to            *float64
		given, factor float64
	}{
		{&e.ReadPJ, s.ReadPJ, dynamic}, {&e.WritePJ, s.WritePJ, dynamic}, {&e.SearchPJ, s.SearchPJ, dynamic},
		{&e.LeakageMW, s.LeakageW * 1e3, area * b.tech.leakage()}, {&e.AreaMM2, s.AreaMM2, area},
	} {
		if v.given < 0 || math.IsNaN(v.given) || math.IsInf(v.given, 0) {
			b.fail(fmt.Errorf("%s: %s: a given value is %g, not a number of zero or more", b.machine.Name, s.Path, v.given))
		}
		if v.given != 0 {
			*v.to = v.given * v.factor
		}
	}
	return e
}

// operation prices a Logic: an operation of the table, and the area of an ALU
// when it computes.
func (b *builder) operation(key string, s *arch.Structure) sram.Estimate {
	var e sram.Estimate
	if s.ReadPJ == 0 {
		if _, ok := b.coefficients.at[s.Operation]; !ok {
			b.fail(fmt.Errorf("BUG: %s: operation %q is not a coefficient of the energy model", key, s.Operation))
			return e
		}
		e.ReadPJ = b.energy(s.Operation)
	}
	mm2 := b.area("lane.mm2")
	switch {
	case s.AreaMM2 != 0:
		mm2 = s.AreaMM2 * areaScale(cmp.Or(s.GivenNM, b.machine.Technology.NodeNM), b.tech.NodeNM)
	case s.Operation == "op.special":
		mm2 *= b.value("sfu.lane_factor")
	case !strings.HasPrefix(s.Operation, "op.int") && !strings.HasPrefix(s.Operation, "op.f32"):
		mm2 = 0
	}
	e.AreaMM2 = mm2
	e.LeakageMW = mm2 * b.value("logic.leakage_mw_per_mm2") * b.tech.leakage()
	return e
}

// counterOf finds a counter that a mechanism names.
func (b *builder) counterOf(key, name string) counters.ID {
	id, ok := counters.Lookup(name)
	if !ok {
		b.fail(fmt.Errorf("BUG: %s charges the counter %q, which is not declared", key, name))
	}
	return id
}

// overlaps reports whether a node is, holds or lies below a leaf.
func (b *builder) overlaps(path string) bool {
	for i := range b.components {
		if under(b.components[i].Path, path) || under(path, b.components[i].Path) {
			return true
		}
	}
	return false
}

// fail keeps the first error.
func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// addEstimates adds what two arrays cost that are accessed together.
func addEstimates(x, y sram.Estimate) sram.Estimate {
	return sram.Estimate{
		ReadPJ: x.ReadPJ + y.ReadPJ, WritePJ: x.WritePJ + y.WritePJ, SearchPJ: x.SearchPJ + y.SearchPJ,
		LeakageMW: x.LeakageMW + y.LeakageMW, AreaMM2: x.AreaMM2 + y.AreaMM2,
		AccessNS: max(x.AccessNS, y.AccessNS), CycleNS: max(x.CycleNS, y.CycleNS),
	}
}
