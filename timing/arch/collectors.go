// SPDX-License-Identifier: Apache-2.0

package arch

import "strings"

// CollectorSet is operand collectors that instructions share.
type CollectorSet struct {
	Count int `yaml:"count" unit:"collectors" range:"1..64"`
	// Ports instructions enter collectors, and leave them, per cycle; as many
	// wait in front of them, and as many between them and the units.
	Ports int `yaml:"ports" unit:"instructions a cycle" range:"1..16"`
}

// Collectors are the operand collectors of an SM, a set for each kind of unit;
// kinds without one of their own share the general set. A collector receives one
// operand a cycle and a bank serves one operand or write-back a cycle. An
// instruction of three operands thus takes three cycles to collect, and more when
// others want the same banks. Register r of warp w is in bank (r+w) mod
// RegisterBanks; without banks operands never conflict.
type Collectors struct {
	General CollectorSet `yaml:"general"`
	SP      CollectorSet `yaml:"sp"`
	Int     CollectorSet `yaml:"int"`
	DP      CollectorSet `yaml:"dp"`
	SFU     CollectorSet `yaml:"sfu"`
	Tensor  CollectorSet `yaml:"tensor"`
	LDST    CollectorSet `yaml:"ldst"`
	// WholeOperands makes an operand of several registers (an address of 64 bits)
	// one access to the bank of its first register, not one per register.
	WholeOperands bool `yaml:"whole_operands"`
	// ParallelReads lets a collector receive an operand from every bank in a cycle, not one
	// operand. A bank serves what is asked of it in the order in which it was asked.
	ParallelReads bool `yaml:"parallel_reads" default:"false" digest:"used"`
	// ResultsPass lets the results of units take their banks and go on, also when others
	// have them in that cycle: only what is loaded waits for banks.
	ResultsPass bool `yaml:"results_pass" default:"false" digest:"used"`
	// Steps is how often in a cycle the collectors do what they do: dispatch, read and take
	// instructions. Banks serve as many operands in each; write-backs compete in the first.
	Steps int `yaml:"steps" unit:"steps a cycle" range:"1..4" default:"1" digest:"used"`
	// Control sends branches, barriers and ends of threads through the collectors and a unit
	// for integers, too. Where they go does not wait for that, but a warp ends when they have.
	Control bool `yaml:"control" default:"false" digest:"used"`
	// SubCores gives every scheduler its own share of the units, and of the collectors and
	// register banks where collectors are sets. Where they are not, a kind with a single unit has
	// it for all, as ldst has everywhere. With sets, each also has a latch of each kind of unit in front of its collectors and
	// behind them. Warp slot w is in sub-core w mod sm.schedulers. Ports are those of a latch.
	SubCores bool `yaml:"sub_cores" default:"false" digest:"used"`
}

// sets gives the sets by key.
func (c *Collectors) sets() map[string]*CollectorSet {
	return map[string]*CollectorSet{
		"general": &c.General, "sp": &c.SP, "int": &c.Int, "dp": &c.DP, "sfu": &c.SFU, "tensor": &c.Tensor, "ldst": &c.LDST,
	}
}

// Collects reports whether the SM has collectors with an arbiter.
func (s *SM) Collects() bool {
	for _, set := range s.Collectors.sets() {
		if *set != (CollectorSet{}) {
			return true
		}
	}
	return false
}

// CollectorCount is the number of operand collectors of the SM, of whichever kind.
func (s *SM) CollectorCount() int {
	if !s.Collects() {
		return s.OperandCollectors
	}
	n := 0
	for _, set := range s.Collectors.sets() {
		n += set.Count
	}
	return n
}

// unusedCollector reports whether a key below sm.collectors need not be given.
func (c *Collectors) unusedCollector(set string) bool {
	s := c.sets()[set]
	return s != nil && *s == CollectorSet{}
}

// unusedKey reports whether a key that describes all sets need not be given.
func (c *Collectors) unusedKey(key string) bool {
	switch key {
	case "whole_operands":
		return !c.WholeOperands
	case "parallel_reads":
		return !c.ParallelReads
	case "results_pass":
		return !c.ResultsPass
	case "steps":
		return c.Steps <= 1
	case "control":
		return !c.Control
	case "sub_cores":
		return !c.SubCores
	}
	return false
}

// takesAway reports whether a key has the zero that an overlay takes a set of collectors away
// with. Whether all keys of the set are zero is a question to the machine, not to the key.
func takesAway(l *leaf, m *Machine) bool {
	return strings.HasPrefix(l.path, "sm.collectors.") && strings.Count(l.path, ".") == 3 && l.get(m).IsZero()
}

// collectors checks that every kind of unit has collectors.
func (c *checker) collectors() {
	s := &c.m.SM
	if !s.Collects() {
		if s.WARHazards {
			c.add(c.origin("sm.war_hazards"), "sm.war_hazards: without sm.collectors operands are read in order, and there are no such hazards; drop it")
		}
		if s.UnitResults > 0 {
			c.add(c.origin("sm.unit_results"), "sm.unit_results: an instruction waits for its unit's result between its collector and the unit; give sm.collectors, or drop it")
		}
		k := &s.Collectors
		for _, unread := range []struct {
			key   string
			given bool
		}{
			{"whole_operands", k.WholeOperands}, {"parallel_reads", k.ParallelReads}, {"results_pass", k.ResultsPass}, {"steps", k.Steps > 1}, {"control", k.Control},
		} {
			if unread.given {
				c.add(c.origin("sm.collectors."+unread.key), "sm.collectors.%s: says how sets of collectors work, and there are none; give sm.collectors.general or others, or drop it", unread.key)
			}
		}
		if s.ResultBuses > 0 {
			c.add(c.origin("sm.result_buses"), "sm.result_buses: an instruction waits for a result bus between its collector and its unit; give sm.collectors, or drop it")
		}
		return
	}
	u := &s.Units
	for _, k := range []struct {
		name  string
		units int
		set   *CollectorSet
	}{
		{"sp", u.SP, &s.Collectors.SP}, {"int", u.Int, &s.Collectors.Int}, {"dp", u.DP, &s.Collectors.DP},
		{"sfu", u.SFU, &s.Collectors.SFU}, {"tensor", u.Tensor, &s.Collectors.Tensor}, {"ldst", u.LDST, &s.Collectors.LDST},
	} {
		if k.units > 0 && k.set.Count == 0 && s.Collectors.General.Count == 0 {
			c.add(c.latest("sm.collectors.sp.count", "sm.collectors.ldst.count", "sm.collectors.general.count", "sm.units."+k.name), "sm.collectors.%s.count: the %s units have no operand collectors; give them a set, or a general one", k.name, k.name)
		}
	}
}

// MaxSubCores bounds the schedulers of an SM whose collectors are divided between them.
const MaxSubCores = 4

// subCores checks that an SM can be divided.
func (c *checker) subCores() {
	s := &c.m.SM
	if !s.Collectors.SubCores {
		return
	}
	at := c.origin("sm.collectors.sub_cores")
	if s.Schedulers > MaxSubCores {
		c.add(at, "sm.collectors.sub_cores: with %d schedulers; at most %d share out an SM", s.Schedulers, MaxSubCores)
		return
	}
	if s.RegisterBanks%max(s.Schedulers, 1) != 0 {
		c.add(at, "sm.collectors.sub_cores: %d register banks (sm.register_banks) cannot be shared out evenly among %d schedulers", s.RegisterBanks, s.Schedulers)
	}
	for _, k := range []struct {
		name string
		n    int
	}{
		{"units.sp", s.Units.SP}, {"units.int", s.Units.Int}, {"units.dp", s.Units.DP}, {"units.sfu", s.Units.SFU}, {"units.tensor", s.Units.Tensor},
		{"collectors.general.count", s.Collectors.General.Count}, {"collectors.sp.count", s.Collectors.SP.Count}, {"collectors.int.count", s.Collectors.Int.Count},
		{"collectors.dp.count", s.Collectors.DP.Count}, {"collectors.sfu.count", s.Collectors.SFU.Count}, {"collectors.tensor.count", s.Collectors.Tensor.Count},
		{"collectors.ldst.count", s.Collectors.LDST.Count},
	} {
		if !s.Collects() && strings.HasPrefix(k.name, "units.") && k.n == 1 {
			continue // one unit serves all
		}
		if k.n%max(s.Schedulers, 1) != 0 {
			c.add(at, "sm.collectors.sub_cores: sm.%s is %d, which cannot be shared out evenly among %d schedulers", k.name, k.n, s.Schedulers)
		}
	}
}

// SubCoreCount is the number of parts into which the units of an SM are divided.
func (s *SM) SubCoreCount() int {
	if s.Collectors.SubCores {
		return max(s.Schedulers, 1)
	}
	return 1
}

// ControlOnUnits reports whether branches and barriers occupy collectors and units.
func (s *SM) ControlOnUnits() bool { return s.Collectors.Control && s.Collects() }
