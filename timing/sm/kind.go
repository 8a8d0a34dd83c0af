// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

func init() {
	core.Kinds.Register(arch.SIMTCore, core.Kind{
		Clusters: true,
		New: func(p core.Parts) (core.Core, error) {
			s, err := New(p)
			if err != nil {
				return nil, err
			}
			return s, nil
		},
		Compile: func(m *arch.Machine, recorded *trace.Kernel, c core.Compilation, base uint64) (core.Program, error) {
			p, err := Compile(m, recorded, c, base)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		Occupancy: NewOccupancy,
		FrontEnds: frontEnds,
	})
}

// Of gives the SMs that cores are, for mechanisms that need them (arch.SIMTCores). The
// error names the core that is of another kind.
func Of(cores []core.Core) ([]*SM, error) {
	sms := make([]*SM, len(cores))
	for i, c := range cores {
		s, ok := c.(*SM)
		if !ok {
			return nil, fmt.Errorf("core %d is no SIMT core (it is a %T); set gpu.core to %s, or leave the mechanism out", c.ID(), c, arch.SIMTCore)
		}
		sms[i] = s
	}
	return sms, nil
}

// frontEnds gives each SM a front end of its own.
func frontEnds(_ *arch.Machine, cores []core.Core) ([]core.Driver, error) {
	sms, err := Of(cores)
	if err != nil {
		return nil, err
	}
	drivers := make([]core.Driver, len(cores))
	for i := range drivers {
		f, err := NewFrontEnd(sms[i])
		if err != nil {
			return nil, err
		}
		drivers[i] = core.Driver{FrontEnd: f, Cores: cores[i : i+1]}
	}
	return drivers, nil
}
