// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"fmt"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/timing/arch"
)

// Prepared loads a sweep that Prepare has stored, with its machines, so that Make can make
// points of it here. Machines that have changed since, and another model, are errors:
// their points would have other keys than those of the manifest.
func Prepared(store *results.Store, name string) (*plan.Expansion, error) {
	m, err := store.Manifest(name)
	if err != nil {
		return nil, err
	}
	model, err := release.Model()
	if err != nil {
		return nil, err
	}
	if m.Model != model {
		return nil, fmt.Errorf("sweep %s: was prepared by another build of warptape, %s, and this is %s; run the same build everywhere, or prepare the sweep again", name, m.Model, model)
	}
	e := &plan.Expansion{Manifest: m, Machines: map[string]*arch.Machine{}}
	for i := range m.Points {
		p := &m.Points[i]
		if p.Key == "" {
			continue
		}
		machine := e.Machines[p.Architecture]
		if machine == nil {
			if machine, err = arch.Load(p.Architecture); err != nil {
				return nil, fmt.Errorf("sweep %s: machine %s: %w; work in the folder in which the sweep was prepared", name, p.Architecture, err)
			}
			e.Machines[p.Architecture] = machine
		}
		id := results.Identity{TraceDigest: m.Traces[p.Trace].Digest, ArchitectureDigest: machine.Digest(), Model: model, Options: m.Options}
		if id.Key() != p.Key {
			return nil, fmt.Errorf("sweep %s: machine %s is not what it was when the sweep was prepared; prepare it again", name, p.Architecture)
		}
	}
	return e, nil
}
