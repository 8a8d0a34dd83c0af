package energy

import "github.com/warptape/warptape/energy/sram"

// Claim is a published figure that the model can recompute without a run.
type Claim struct {
	Name      string
	Source    string
	Published float64
	Computed  float64
	Unit      string
}

// claim is a Claim before computing.
type claim struct {
	name, source string
	published    float64
	unit         string
	nodeNM       float64
	compute      func(*claims) float64
}

// claims computes claims at one node; the first error stays.
type claims struct {
	memories *sram.Model
	nodeNM   float64
	err      error
}

func (c *claims) memory(q sram.Query) sram.Estimate {
	q.NodeNM = c.nodeNM
	e, err := c.memories.Estimate(q)
	if err != nil && c.err == nil {
		c.err = err
	}
	return e
}

func (c *claims) ram(bytes, out int) sram.Estimate {
	return c.memory(sram.Query{Class: sram.RAM, Bytes: bytes, OutBytes: out})
}

// published lists the claims. The papers used other versions of CACTI (5.3 and
// 6.0) with other device models, so that factors of two are to be expected.
var published = []claim{
	{"ATQ, 24 entries of 131 bits: access", "affine paper Table 1", 5.3, "pJ", 40, func(c *claims) float64 { return c.ram(408, 17).ReadPJ }},
	{"PWAQ, 192 entries, 1560 B: access", "affine paper Table 1", 3.4, "pJ", 40, func(c *claims) float64 { return c.ram(1560, 8).ReadPJ }},
	{"DAC: SRAM of an SM (ATQ, PWAQ, PWPQ, stacks, DCRF)", "affine paper section 4.8", 0.21, "mm2", 40, func(c *claims) float64 {
		return c.ram(408, 17).AreaMM2 + c.ram(1560, 8).AreaMM2 + c.ram(768, 4).AreaMM2 + 2*(c.ram(224, 16).AreaMM2+c.ram(1536, 4).AreaMM2)
	}},
	{"4 KB I-cache: read of a 64-bit instruction", "Buddy SM paper section 4.7", 32, "pJ", 40, func(c *claims) float64 {
		return c.memory(sram.Query{Class: sram.Cache, Bytes: 4096, Ways: 4, LineBytes: 128, OutBytes: 8}).ReadPJ
	}},
	{"tinyCaches of an SM over its share of the on-chip memory hierarchy: area", "GPSim thesis section 5.3.3", 9, "%", 32, tinyCacheShare},
}

// tinyCacheShare compares 32 tinyCaches (1264 bytes each as RAM of 16 lines of
// 79 bytes) with what the thesis counts: L1, scratchpad, constant cache and a
// quarter of the L2 of Table 3.2. Coalescer and texture cache are left out.
func tinyCacheShare(c *claims) float64 {
	tiny := 32 * c.ram(1264, 4).AreaMM2
	rest := c.memory(sram.Query{Class: sram.Cache, Bytes: 64 << 10, Ways: 8, LineBytes: 64, OutBytes: 64}).AreaMM2 +
		8*c.ram(6<<10, 4).AreaMM2 +
		c.memory(sram.Query{Class: sram.Cache, Bytes: 8 << 10, Ways: 2, LineBytes: 64, OutBytes: 4}).AreaMM2 +
		c.memory(sram.Query{Class: sram.Cache, Bytes: 256 << 10, Ways: 16, LineBytes: 64, OutBytes: 64, Sequential: true}).AreaMM2/4
	return 100 * tiny / (tiny + rest)
}

// Claims recomputes published figures of single structures.
func Claims() ([]Claim, error) {
	memories, err := sram.Default()
	if err != nil {
		return nil, err
	}
	var list []Claim
	for _, p := range published {
		c := claims{memories: memories, nodeNM: p.nodeNM}
		v := p.compute(&c)
		if c.err != nil {
			return nil, c.err
		}
		list = append(list, Claim{p.name, p.source, p.published, v, p.unit})
	}
	return list, nil
}
