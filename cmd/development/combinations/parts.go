// SPDX-License-Identifier: Apache-2.0

// Package combinations says which mechanisms go together and measures what pairs bring,
// for docs/combinations.md.
package combinations

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/timing/arch"
)

// combinationPart is a mechanism of docs/combinations.md: the section's key, and the
// overlays that bring it, the last its own. A cache has a prefetcher of its own: names it.
type combinationPart struct {
	key      string
	overlays []string
	cache    string
}

// replaces reports whether two parts take each other's place.
func (p *combinationPart) replaces(o *combinationPart) bool {
	return p.key == o.key && p.cache == o.cache
}

func (p *combinationPart) name() string { return p.overlays[len(p.overlays)-1] }

// isNamed reports whether a problem of an architecture is of a part: by the mechanism, by
// a key of its section, or by the key of its cache's prefetcher.
func (p *combinationPart) isNamed(problem *arch.Problem) bool {
	return strings.Contains(problem.Message, p.key+" ") || strings.HasPrefix(problem.Message, p.key+".") ||
		p.cache != "" && strings.Contains(problem.Message, p.cache+".prefetcher")
}

// combinationParts are the mechanisms, one overlay of each kind.
var combinationParts = []combinationPart{
	{key: "tinycache", overlays: []string{"tinycache"}}, {key: "mta", overlays: []string{"mta"}}, {key: "dac", overlays: []string{"dac"}},
	{key: "cae", overlays: []string{"cae"}}, {key: "wide", overlays: []string{"wide"}}, {key: "buddy", overlays: []string{"buddy"}},
	{key: "offload", overlays: []string{"llc-compute"}}, {key: "offload", overlays: []string{"omni-compute"}},
	{key: "soc", overlays: []string{"cpu", "fusetlb"}}, {key: "soc", overlays: []string{"cpu", "copysoc"}}, {key: "soc", overlays: []string{"cpu", "privtlb"}},
	{key: "prefetch", overlays: []string{"prefetch"}, cache: "l1"}, {key: "prefetch", overlays: []string{"l2-prefetch"}, cache: "l2"},
	{key: "perfect_memory", overlays: []string{"perfect-memory"}},
}

// combinationMachines are tried in this order for a pair.
var combinationMachines = []string{"gtx480", "mesh56", "gpsim-soc"}

// combinationTraces are the subset of the catalogue that is measured, of
// traces/recorded.
var combinationTraces = []string{"spmv", "divergence-nested", "saxpy"}

// notMeasured is in the table of pairs only: its cores take hours for the copies that
// the traces' hosts make.
const notMeasured = "copysoc"

// chipChanges fit mechanisms to the chip's SMs: these are faster than the network that
// the paper gives clusters, and have one scheduler.
var chipChanges = map[string]string{"buddy": "buddy:\n  network_mhz: 1700\n", "cae": "cae:\n  units: 1\n"}

// combined loads a machine with parts.
func combined(machine string, parts ...*combinationPart) (*arch.Machine, error) {
	spec, extra := machine, ""
	for _, p := range parts {
		for _, o := range p.overlays {
			if !strings.Contains(spec+"+", "+"+o+"+") {
				spec += "+" + o
			}
		}
		if machine == "gpsim-soc" {
			extra += chipChanges[p.key]
		}
	}
	if extra == "" {
		return arch.Load(spec)
	}
	folder, err := os.MkdirTemp("", "warptape-combinations-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "combined.yaml")
	if err := os.WriteFile(path, []byte("base: "+spec+"\nname: combined\ndescription: combined\n"+extra), 0o600); err != nil {
		return nil, err
	}
	return arch.Load(path)
}

// combinedErrors remembers what loading has said, by machine and parts.
var combinedErrors = map[string]error{}

// combines says why a machine with parts is refused, nil when it is not.
func combines(machine string, parts ...*combinationPart) error {
	key := machine + "+" + partNames(parts)
	err, known := combinedErrors[key]
	if !known {
		_, err = combined(machine, parts...)
		combinedErrors[key] = err
	}
	return err
}

// pairMachine gives the first machine on which each of two parts goes alone, "" when
// there is none. Chains execute at cores only where a mesh connects them.
func pairMachine(a, b *combinationPart) string {
	machines := combinationMachines
	if a.key == "offload" || b.key == "offload" {
		machines = machines[1:]
	}
	for _, machine := range machines {
		if combines(machine, a) == nil && combines(machine, b) == nil {
			return machine
		}
	}
	return ""
}

// pairRefusal says why two parts do not go together, "" when they do.
func pairRefusal(a, b *combinationPart) (string, error) {
	machines := combinationMachines
	if machine := pairMachine(a, b); machine != "" {
		machines = []string{machine}
	}
	for _, machine := range machines {
		err := combines(machine, a, b)
		if err == nil {
			return "", nil
		}
		var problems *arch.Error
		if !errors.As(err, &problems) {
			return "", err
		}
		for _, p := range problems.Problems {
			if a.isNamed(&p) && b.isNamed(&p) {
				return p.Message, nil
			}
		}
	}
	return "", fmt.Errorf("BUG: %s and %s go with no machine together, and nothing says why", a.name(), b.name())
}

// combinationPairs lists the pairs that go together, by machine: each part alone, then
// the pairs.
func combinationPairs() (map[string][][]*combinationPart, error) {
	sets := map[string][][]*combinationPart{}
	alone := map[string]bool{}
	add := func(machine string, parts ...*combinationPart) {
		var names []string
		for _, p := range parts {
			names = append(names, p.name())
		}
		if key := machine + "+" + strings.Join(names, "+"); !alone[key] {
			alone[key] = true
			sets[machine] = append(sets[machine], parts)
		}
	}
	for i := range combinationParts {
		for k := i + 1; k < len(combinationParts); k++ {
			a, b := &combinationParts[i], &combinationParts[k]
			machine := pairMachine(a, b)
			if machine == "" || a.replaces(b) || a.name() == notMeasured || b.name() == notMeasured {
				continue
			}
			reason, err := pairRefusal(a, b)
			if err != nil {
				return nil, err
			}
			if reason == "" {
				add(machine)
				add(machine, a)
				add(machine, b)
				add(machine, a, b)
			}
		}
	}
	return sets, nil
}

func partNames(parts []*combinationPart) string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name())
	}
	return strings.Join(names, "+")
}
