// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// Each mechanism builds around those before it, at every seam that it has.
func TestBuildersOfMechanismsStandAroundEachOther(t *testing.T) {
	var built []string
	mechanism := func(name string) Mechanism {
		return Mechanism{
			Memory: func(_ *arch.Machine, next MemoryBuilder) MemoryBuilder {
				return func(m *arch.Machine, c Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
					built = append(built, name+" memory")
					return next(m, c, sets, global)
				}
			},
			FrontEnds: func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
				return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
					built = append(built, name+" front ends")
					return next(m, cores)
				}
			},
		}
	}
	g := &GPU{mechanisms: []Mechanism{mechanism("first"), {}, mechanism("second")}}
	g.options.Memory = func(*arch.Machine, Clocks, []*counters.Set, *counters.Set) (seam.Path, error) {
		built = append(built, "memory")
		return seam.Path{}, nil
	}
	g.options.FrontEnds = func(*arch.Machine, []core.Core) ([]core.Driver, error) {
		built = append(built, "front ends")
		return nil, nil
	}
	g.wrapBuilders()
	if _, err := g.options.Memory(nil, Clocks{}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := g.options.FrontEnds(nil, nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"second memory", "first memory", "memory", "second front ends", "first front ends", "front ends"}; !slices.Equal(built, want) {
		t.Errorf("built %q, want %q", built, want)
	}
}
