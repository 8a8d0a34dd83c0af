// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/results"
)

// provenance says what the results depend on and how to make them again.
type provenance struct {
	study    *study
	repeat   string
	machines *Dataset
	spec     *Column
	digest   *Column
	seen     map[string]bool
	warnings []string
}

func newProvenance(s *study, repeat string) *provenance {
	c := &provenance{study: s, repeat: repeat, machines: NewDataset("architectures"), seen: map[string]bool{}}
	c.spec, c.digest = c.machines.Words(columnArchitecture, "architecture"), c.machines.Words("digest", "SHA-256 of the resolved machine")
	return c
}

func (c *provenance) add(p *point) error {
	if p.result == nil {
		return nil
	}
	for _, w := range p.statistics.Warnings {
		if w = p.trace.Label + ": " + w; !slices.Contains(c.warnings, w) {
			c.warnings = append(c.warnings, w)
		}
	}
	if !c.seen[p.planned.Architecture] {
		c.seen[p.planned.Architecture] = true
		c.spec.Add(p.planned.Architecture)
		c.digest.Add(p.result.ArchitectureDigest)
	}
	return nil
}

func (c *provenance) section() *Section {
	m := c.study.manifest
	facts := []Fact{
		{Name: "program", Value: "warptape " + m.Version, Note: "which multiplied out the plan"},
		{Name: "model", Value: shortDigest(m.Model), Note: m.Model + "; results of another model are never mixed with these"},
		{Name: "manifest", Value: shortDigest(manifestDigest(m)), Note: "SHA-256 " + manifestDigest(m)},
	}
	s := &Section{ID: "provenance", Title: "Provenance", Text: []string{
		"The same traces, architectures, options and model give the same results, to the byte. A digest names exactly what was used.",
	}, Parts: []Part{{Facts: facts}, {Listing: &Listing{"To repeat it", c.repeat}}, {Table: c.traces()}}}
	if c.machines.Len() > 0 {
		s.Parts = append(s.Parts, Part{Table: &Table{Title: "Architectures", Dataset: c.machines, Columns: []string{columnArchitecture, "digest"}, Few: 10}})
	}
	s.Parts = append(s.Parts, Part{Listing: &Listing{"Options", optionsText(m.Options)}})
	if metrics := metricsText(m.Metrics); metrics != "" {
		s.Parts = append(s.Parts, Part{Listing: &Listing{"Metrics", metrics}})
	}
	if m.Plan != "" {
		s.Parts = append(s.Parts, Part{Listing: &Listing{"The plan", m.Plan}})
	}
	if len(c.warnings) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.warnings})
	}
	return s
}

// shortDigest keeps twelve digits of a digest.
func shortDigest(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return text
	}
	if last := words[len(words)-1]; len(last) > 12 {
		words[len(words)-1] = last[:12]
	}
	return strings.Join(words, " ")
}

func manifestDigest(m *results.Manifest) string {
	text, err := json.Marshal(m)
	if err != nil {
		panic("BUG: a manifest has no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (c *provenance) traces() *Table {
	d := NewDataset("traces")
	label, digest, source := d.Words(columnTrace, "trace"), d.Words("digest", "SHA-256 of the trace"), d.Words("source", "from")
	program, recorder, sampling := d.Words("program", "program"), d.Words("recorder", "recorded by"), d.Words("sampling", "sample")
	launches, blocks := d.Numbers("launches", "launches", ""), d.Numbers("blocks", "thread blocks", "")
	instructions, stored := d.Numbers("instructions", "warp instructions", ""), d.Numbers("stored", "of them replayed", "")
	for i := range c.study.manifest.Traces {
		t := &c.study.manifest.Traces[i]
		label.Add(t.Label)
		digest.Add(t.Digest)
		source.Add(t.Source)
		program.Add(t.Summary.Program)
		recorder.Add(t.Summary.Recorder)
		sampling.Add(orWhole(t.Summary.Sampling))
		launches.AddNumber(float64(t.Summary.Launches))
		blocks.AddNumber(float64(t.Summary.ThreadBlocks))
		instructions.AddNumber(float64(t.Summary.WarpInstructions))
		stored.AddNumber(float64(t.Summary.StoredWarpInstructions))
	}
	return &Table{Title: "Traces", Dataset: d, Columns: []string{columnTrace, "program", "launches", "blocks", "instructions", "stored", "sampling", "recorder", "source", "digest"}}
}

func orWhole(sampling string) string {
	if sampling == "" {
		return "whole"
	}
	return sampling
}

func optionsText(o results.Options) string {
	text, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		panic("BUG: options have no JSON: " + err.Error())
	}
	if string(text) == "{}" {
		return "defaults"
	}
	return string(text)
}

func metricsText(list []results.Metric) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%s = %s", titled(m.Name, m.Unit), m.Expression)
		if m.Better != "" {
			fmt.Fprintf(&b, "   (%s is better)", m.Better)
		}
		b.WriteString("\n")
	}
	return b.String()
}
