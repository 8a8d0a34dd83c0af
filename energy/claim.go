// SPDX-License-Identifier: Apache-2.0

package energy

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
)

// Claim is a published figure that the model can recompute without a run.
type Claim struct {
	Name      string
	Source    string
	Published float64
	Computed  float64
	Unit      string
	// Input says why the figure is one that the model was made from, and confirms
	// nothing; empty for others.
	Input string
	// Parts are the structures that were summed, with the place in the paper.
	Parts []ClaimPart
}

// ClaimPart is what one structure of a claim contributes, all its instances
// together, in the unit of the claim's quantity.
type ClaimPart struct {
	Name  string
	Count float64
	Value float64
}

// claimsYAML is the data of the claims.
//
//go:embed claims.yaml
var claimsYAML []byte

// claim is an entry of claims.yaml.
type claim struct {
	Name      string      `yaml:"name"`
	Source    string      `yaml:"source"`
	Published float64     `yaml:"published"`
	Unit      string      `yaml:"unit"`
	NodeNM    float64     `yaml:"node_nm"`
	Quantity  string      `yaml:"quantity"`
	Input     string      `yaml:"input"`
	Parts     []claimPart `yaml:"parts"`
	Over      []claimPart `yaml:"over"`
}

// claimPart is a structure of a claim; a count of zero is one.
type claimPart struct {
	Name       string  `yaml:"name"`
	Kind       string  `yaml:"kind"`
	Count      float64 `yaml:"count"`
	Entries    int     `yaml:"entries"`
	Bits       int     `yaml:"bits"`
	Ways       int     `yaml:"ways"`
	OutBytes   int     `yaml:"out_bytes"`
	Sequential bool    `yaml:"sequential"`
	Ports      int     `yaml:"ports"`
	MM         float64 `yaml:"mm"`
	Value      float64 `yaml:"value"`
}

var claimList = sync.OnceValues(func() ([]claim, error) { return parseClaims(claimsYAML) })

func parseClaims(text []byte) ([]claim, error) {
	var list []claim
	if err := yaml.UnmarshalWithOptions(text, &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("BUG: claims.yaml: %w", err)
	}
	return list, nil
}

// Claims recomputes published figures of structures.
func Claims() ([]Claim, error) {
	list, err := claimList()
	if err != nil {
		return nil, err
	}
	memories, err := sram.Default()
	if err != nil {
		return nil, err
	}
	var out []Claim
	for i := range list {
		c, err := list[i].compute(memories)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// compute sums the parts of a claim.
func (c *claim) compute(memories *sram.Model) (Claim, error) {
	b := &builder{
		machine: &arch.Machine{Name: c.Name}, memories: memories, coefficients: DefaultCoefficients(),
		tech: Technology{NodeNM: c.NodeNM, TemperatureK: referenceKelvin, VoltageRatio: 1},
	}
	out := Claim{Name: c.Name, Source: c.Source, Published: c.Published, Unit: c.Unit, Input: c.Input}
	for i := range c.Parts {
		p := &c.Parts[i]
		part := ClaimPart{p.Name, p.instances(), b.claimed(c.Quantity, p)}
		out.Computed += part.Value
		out.Parts = append(out.Parts, part)
	}
	if len(c.Over) > 0 {
		whole := 0.0
		for i := range c.Over {
			whole += b.claimed(c.Quantity, &c.Over[i])
		}
		out.Computed *= 100 / whole
	}
	return out, b.err
}

func (p *claimPart) instances() float64 {
	if p.Count == 0 {
		return 1
	}
	return p.Count
}

// claimed is what a part adds to a quantity.
func (b *builder) claimed(quantity string, p *claimPart) float64 {
	n := p.instances()
	if p.Kind == "given" {
		return p.Value * n
	}
	switch quantity {
	case "bytes":
		return float64(p.Entries*((p.Bits+7)/8)) * n
	case "wire":
		return float64(p.Bits) * p.MM * n
	case "read":
		e := b.claimedArray(p)
		return e.ReadPJ * n
	case "area":
		if p.Kind == "lane" {
			return b.area("lane.mm2") * n
		}
		e := b.claimedArray(p)
		return e.AreaMM2 * n
	}
	b.fail(fmt.Errorf("BUG: claims.yaml: %s: quantity %q", b.machine.Name, quantity))
	return 0
}

// claimedArray estimates a memory of a claim.
func (b *builder) claimedArray(p *claimPart) sram.Estimate {
	switch p.Kind {
	case "ram":
		return b.array(p.Name, p.Entries, p.Bits, p.Ports)
	case "cache":
		line := p.Bits / 8
		return b.memory(p.Name, sram.Query{Class: sram.Cache, Bytes: p.Entries * line, Ways: p.Ways, LineBytes: line, OutBytes: p.OutBytes, Sequential: p.Sequential})
	}
	b.fail(fmt.Errorf("BUG: claims.yaml: %s: %s is of kind %q", b.machine.Name, p.Name, p.Kind))
	return sram.Estimate{}
}
