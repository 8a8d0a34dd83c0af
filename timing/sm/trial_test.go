// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// trial is the mechanism that a test puts on its machine.
type trial struct{ gpu.Mechanism }

func (t *trial) On() bool                                  { return true }
func (t *trial) Check(*arch.Machine, func(_, _ string))    {}
func (t *trial) Structures(*arch.Machine) []arch.Structure { return nil }

func init() {
	arch.RegisterSection("trial", nil, func() arch.Section { return new(trial) }, arch.Declaration{})
	gpu.Mechanisms.Register("trial", gpu.Mechanism{New: func(m *arch.Machine) gpu.Mechanism { return m.Section("trial").(*trial).Mechanism }})
}

// driven gives each SM the front end that the test makes of it and of the baseline's.
func driven(front func(s *sm.SM, next seam.FrontEnd) (seam.FrontEnd, error)) gpu.Mechanism {
	return gpu.Mechanism{FrontEnds: func(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
		return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
			drivers, err := next(m, cores)
			if err != nil {
				return nil, err
			}
			sms, err := sm.Of(cores)
			if err != nil {
				return nil, err
			}
			for i := range drivers {
				if drivers[i].FrontEnd, err = front(sms[i], drivers[i].FrontEnd); err != nil {
					return nil, err
				}
			}
			return drivers, nil
		}
	}}
}

// tried replays launches on a machine with a mechanism.
func tried(t *testing.T, m *arch.Machine, memory *gputest.Memory, x gpu.Mechanism, launches ...gputest.Launch) *gpu.Run {
	t.Helper()
	m.SetSection("trial", &trial{x})
	return replay(t, build(t, m, memory), launches...)
}

// assisted marks instructions of all kernels for the assistant.
func assisted(marked ...int) func(*arch.Machine, []trace.Kernel, []trace.Launch) ([]*core.Rewriting, error) {
	return func(_ *arch.Machine, kernels []trace.Kernel, _ []trace.Launch) ([]*core.Rewriting, error) {
		list := make([]*core.Rewriting, len(kernels))
		for k := range kernels {
			n := len(kernels[k].Instructions)
			r := &core.Rewriting{Kernel: &kernels[k], Origin: make([]uint32, n), Assisted: make([]bool, n)}
			for i := range n {
				r.Origin[i] = uint32(i)
			}
			for _, i := range marked {
				r.Assisted[i] = true
			}
			list[k] = r
		}
		return list, nil
	}
}
