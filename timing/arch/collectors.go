package arch

// CollectorSet is operand collectors that instructions share.
type CollectorSet struct {
	Count int `yaml:"count" unit:"collectors" range:"1..64"`
	// Ports instructions enter collectors, and leave them, per cycle; as many
	// wait in front of them, and as many between them and the units.
	Ports int `yaml:"ports" unit:"instructions a cycle" range:"1..16"`
}

// Collectors are the operand collectors of an SM, a set for each kind of unit;
// kinds without one of their own share the general set. A collector receives one
// operand a cycle and a bank serves one operand or write-back a cycle, so that an
// instruction of three operands takes three cycles to collect, and more when
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
}

// sets gives the sets by key.
func (c *Collectors) sets() map[string]*CollectorSet {
	return map[string]*CollectorSet{
		"general": &c.General, "sp": &c.SP, "int": &c.Int, "dp": &c.DP, "sfu": &c.SFU, "tensor": &c.Tensor, "ldst": &c.LDST,
	}
}

// Collects reports whether the SM has collectors with an arbiter.
func (s *SM) Collects() bool {
	c := s.Collectors
	c.WholeOperands = false
	return c != Collectors{}
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

// collectors checks that every kind of unit has collectors.
func (c *checker) collectors() {
	s := &c.m.SM
	if !s.Collects() {
		if s.WARHazards {
			c.add(c.origin("sm.war_hazards"), "sm.war_hazards: without sm.collectors operands are read in order, and there are no such hazards; drop it")
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
