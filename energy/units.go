// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// unitLeaf is the arithmetic of one leaf: energy per lane by operation class.
type unitLeaf struct {
	name    string
	classes []classEnergy
}

type classEnergy struct {
	class string // in lane_ops_CLASS
	key   string
	// double multiplies by op.f64_factor.
	double bool
}

var unitLeaves = []unitLeaf{
	{"integer", []classEnergy{
		{"int_add", "op.int_add", false}, {"int_minmax", "op.int_add", false}, {"int_mul", "op.int_mul", false},
		{"int_mad", "op.int_mad", false}, {"int_div", "op.int_div", false},
	}},
	{"single precision", []classEnergy{
		{"f16", "op.f16", false}, {"f32_add", "op.f32_add", false}, {"f32_minmax", "op.f32_add", false},
		{"f32_mul", "op.f32_mul", false}, {"f32_fma", "op.f32_fma", false}, {"f32_div", "op.f32_div", false},
	}},
	{"double precision", []classEnergy{
		{"f64_add", "op.f32_add", true}, {"f64_minmax", "op.f32_add", true}, {"f64_mul", "op.f32_mul", true},
		{"f64_fma", "op.f32_fma", true}, {"f64_div", "op.f32_div", true},
	}},
	{"special", []classEnergy{{"special", "op.special", false}}},
	{"tensor", []classEnergy{{"tensor", "op.tensor", false}}},
	{"move and convert", []classEnergy{{"convert", "op.convert", false}, {"move", "op.move", false}, {"predicate", "op.predicate", false}}},
}

// functionalUnits adds the units by class. Their area is that of the lanes they
// have: 32 over the interval at which they start warp instructions.
func (b *builder) functionalUnits() {
	for _, leaf := range unitLeaves {
		c := b.add("sm/functional units/" + leaf.name)
		for _, k := range leaf.classes {
			pj := b.energy(k.key)
			if k.double {
				pj *= b.value("op.f64_factor")
			}
			c.charge(pj, b.counter("lane_ops_"+k.class))
		}
		if leaf.name == "special" {
			b.specialFunctions(c)
		}
		b.logic(c, b.lanesOf(leaf.name)*b.area("lane.mm2")*b.sms())
	}
	c := b.add("sm/functional units/shuffle")
	c.charge(b.laneCrossbar(2*b.count("lanes.per_sm")), b.counter("lane_ops_shuffle"))
	c = b.add("sm/functional units/address")
	address := b.energy("op.address") // of a warp's
	if b.machine.FetchByLane() {
		address /= b.value("lanes.per_sm")
	}
	c.charge(address, counters.UnitLDST)
}

// specialFunctions adds the functions with prices of their own. The charge for lane_ops_special, which the
// component has, is the mean of four for what is none of them, and for counts that do not tell them apart.
func (b *builder) specialFunctions(c *Component) {
	all := len(c.Charges) - 1
	for f := trace.NotSpecial + 1; int(f) < trace.SpecialFunctionCount; f++ {
		c.Charges[all].But = append(c.Charges[all].But, counters.SpecialOps(f))
		c.charge(b.energy("op.special_"+f.String()), counters.SpecialOps(f))
	}
}

// lanesOf is the ALU lanes of an SM that a leaf's area amounts to; integers,
// conversions and single precision share theirs.
func (b *builder) lanesOf(leaf string) float64 {
	u, l := &b.machine.SM.Units, &b.machine.SM.Latencies
	lanes := func(units int, t arch.Latency) float64 { return float64(units) * 32 / float64(max(t.Interval, 1)) }
	switch leaf {
	case "single precision":
		return b.value("lanes.per_sm")
	case "double precision":
		return lanes(u.DP, l.F64Fma) * b.value("op.f64_factor")
	case "special":
		return lanes(u.SFU, l.Special) * b.value("sfu.lane_factor")
	case "tensor":
		return float64(u.Tensor) * b.value("lanes.per_sm") * b.value("tensor.lane_factor")
	}
	return 0
}

// counter finds a counter by name.
func (b *builder) counter(name string) counters.ID {
	id, ok := counters.Lookup(name)
	if !ok && b.err == nil {
		b.err = fmt.Errorf("BUG: energy prices the counter %s, which is not declared", name)
	}
	return id
}
