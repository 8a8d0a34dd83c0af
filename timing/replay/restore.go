// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// Restore gives the result whose JSON was kept, of a replay on the machine. What is not
// in the JSON is lost: counters of SMs, of instructions, and intervals. A counter or a
// metric that this version does not declare is an error.
func Restore(text []byte, m *arch.Machine) (*Result, error) {
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	if r.ArchitectureDigest != m.Digest() {
		return nil, fmt.Errorf("BUG: a result of architecture %s is restored as one of %s", r.ArchitectureDigest, m.Digest())
	}
	r.Architecture = m
	r.Total.restore(m)
	for i := range r.Launches {
		r.Launches[i].restore(m)
	}
	return &r, nil
}

// restore sets what the machine says of a section.
func (s *Section) restore(m *arch.Machine) {
	s.maxWarps, s.sms, s.clocks = m.SM.MaxWarps, m.GPU.SMs, m.Clocks
	s.coreKHz = math.Round(m.Clocks.CoreMHz * 1000)
	s.counted = s.Nanoseconds
	for _, g := range s.Mechanisms { // which the JSON does not repeat among the counters
		copy(s.Counters[g.group.First:], g.counts)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Counts) UnmarshalJSON(text []byte) error {
	var values map[string]uint64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for name, v := range values {
		id, ok := counters.Lookup(name)
		if !ok {
			return fmt.Errorf("counter %q is of another version", name)
		}
		c[id] = v
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler; null is a metric without a value.
func (m *Metrics) UnmarshalJSON(text []byte) error {
	var values map[string]*float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for i := range declarations {
		m[i] = math.NaN()
		if v := values[declarations[i].Name]; v != nil {
			m[i] = *v
		}
		delete(values, declarations[i].Name)
	}
	for name := range values {
		return fmt.Errorf("metric %q is of another version", name)
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler; mechanisms keep their order.
func (m *MechanismCounts) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace, or null
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		g, known := counters.GroupOf(name)
		if !ok || !known {
			return fmt.Errorf("mechanism %v is of another version", key)
		}
		var values map[string]uint64
		if err := d.Decode(&values); err != nil {
			return err
		}
		counts := make([]uint64, len(g.Rows))
		for i := range g.Rows {
			counts[i] = values[g.Rows[i].Name]
			delete(values, g.Rows[i].Name)
		}
		for counter := range values {
			return fmt.Errorf("counter %s.%s is of another version", name, counter)
		}
		*m = append(*m, mechanismCounts{g, counts})
	}
	return nil
}
