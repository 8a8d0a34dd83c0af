// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/energy/sram"
)

// givenQuantities are the quantities that a machine may give, by their suffix.
var givenQuantities = []string{"read_pj", "write_pj", "search_pj", "leakage_mw", "area_mm2"}

// givenValues are the values of technology.given by structure and quantity.
type givenValues struct {
	values map[string]float64 // "l1.read_pj"
	used   map[string]bool
	known  []string // structures of the machine
}

// parseGiven reads technology.given: "none", or STRUCTURE.QUANTITY=VALUE separated
// by commas, in picojoules, milliwatts and square millimetres of one instance.
func parseGiven(text string) (*givenValues, error) {
	g := &givenValues{values: map[string]float64{}, used: map[string]bool{}}
	if text == "none" || text == "" {
		return g, nil
	}
	for _, item := range strings.Split(text, ",") {
		key, number, ok := strings.Cut(strings.TrimSpace(item), "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		key = strings.TrimSpace(key)
		dot := strings.LastIndexByte(key, '.')
		switch {
		case !ok || err != nil || !(v >= 0 && v < 1e12):
			return nil, fmt.Errorf("technology.given: %q: write STRUCTURE.QUANTITY=VALUE with a value of zero or more, e.g. l1.read_pj=120", item)
		case dot < 1 || !slices.Contains(givenQuantities, key[dot+1:]):
			return nil, fmt.Errorf("technology.given: %q names no quantity; there are %s", key, strings.Join(givenQuantities, ", "))
		}
		if _, twice := g.values[key]; twice {
			return nil, fmt.Errorf("technology.given: %q is given twice", key)
		}
		g.values[key] = v
	}
	return g, nil
}

// replace puts the given values of a structure in the place of the model's. They
// hold for the machine's own technology; another one scales them as logic.
func (b *builder) replace(structure string, e *sram.Estimate) {
	if b.given == nil || len(b.given.values) == 0 {
		return
	}
	if !slices.Contains(b.given.known, structure) {
		b.given.known = append(b.given.known, structure)
	}
	own := b.machine.Technology.NodeNM
	dynamic := logicScale(own, b.tech.NodeNM) * b.tech.dynamic()
	area := areaScale(own, b.tech.NodeNM)
	factors := []float64{dynamic, dynamic, dynamic, area * b.tech.leakage(), area}
	for i, to := range []*float64{&e.ReadPJ, &e.WritePJ, &e.SearchPJ, &e.LeakageMW, &e.AreaMM2} {
		key := structure + "." + givenQuantities[i]
		if v, ok := b.given.values[key]; ok {
			*to = v * factors[i]
			b.given.used[key] = true
		}
	}
}

// dynamic lists the structures that have a given dynamic energy.
func (g *givenValues) dynamic() []string {
	var list []string
	for key := range g.values {
		dot := strings.LastIndexByte(key, '.')
		if structure := key[:dot]; strings.HasSuffix(key, "_pj") && !slices.Contains(list, structure) {
			list = append(list, structure)
		}
	}
	slices.Sort(list)
	return list
}

// unused refuses given values that no structure of the machine has taken.
func (g *givenValues) unused() error {
	for _, key := range sortedKeys(g.values) {
		if !g.used[key] {
			return fmt.Errorf("technology.given: %q is no structure of this machine; there are %s", key[:strings.LastIndexByte(key, '.')], strings.Join(g.known, ", "))
		}
	}
	return nil
}

func sortedKeys(m map[string]float64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
