// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// chip is the affine warps of a machine.
type chip struct {
	machine  *arch.Machine
	section  *Section
	kernels  []*compiled // nil for one without decoupled instructions
	launches []trace.Launch
	ports    []*port // per SM
	engines  []*engine
	failure  error
}

// newMechanism is decoupled affine computation of one machine.
func newMechanism(m *arch.Machine) gpu.Mechanism {
	c := &chip{machine: m, section: m.Section(Key).(*Section)}
	return gpu.Mechanism{
		Memory: c.memory,
		FrontEnds: func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
			return c.frontEnds(next)
		},
		Divergence: func(_ *arch.Machine, next divergence.Policy) divergence.Policy { return c.divergence(next) },
		Programs:   c.programs,
		Failed:     func() error { return c.failure },
	}
}

// programs splits the kernels that are launched.
func (c *chip) programs(_ *arch.Machine, kernels []trace.Kernel, launches []trace.Launch) ([]*core.Rewriting, error) {
	c.kernels, c.launches, c.failure = make([]*compiled, len(kernels)), launches, nil
	out := make([]*core.Rewriting, len(kernels))
	seen := make([]bool, len(kernels))
	var refused []error
	for i := range launches {
		k := launches[i].Kernel
		if k < 0 || k >= len(kernels) || seen[k] {
			continue
		}
		seen[k] = true
		plan := affine.CompileWith(&kernels[k], c.section.options())
		if plan.Reason == affine.NoOperandKinds {
			refused = append(refused, fmt.Errorf("overlay dac: kernel %s: %s; record the program with warptape record", kernels[k].Name, plan.Reason))
			continue
		}
		if plan.Decoupled() {
			c.kernels[k] = compile(plan)
			out[k] = c.kernels[k].rewriting
		}
	}
	return out, errors.Join(refused...)
}

// kernelOf is the compiled kernel of a launch; nil when nothing of it is decoupled.
func (c *chip) kernelOf(launch int) *compiled { return c.kernels[c.launches[launch].Kernel] }

// fail stops the replay.
func (c *chip) fail(err error) {
	if c.failure == nil {
		c.failure = err
	}
}

// frontEnds gives each SM an affine warp.
func (c *chip) frontEnds(next core.FrontEndBuilder) core.FrontEndBuilder {
	return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
		drivers, err := next(m, cores)
		if err != nil {
			return nil, err
		}
		for i := range drivers {
			d := &drivers[i]
			if d.FrontEnd, err = c.beside(d); err != nil {
				return nil, err
			}
		}
		return drivers, nil
	}
}

// divergence lets warps issue the non-affine stream.
func (c *chip) divergence(next divergence.Policy) divergence.Policy {
	return divergence.Policy{New: func() seam.Divergence { return &streams{Divergence: next.New(), chip: c} }}
}
