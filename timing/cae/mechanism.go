package cae

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// layer is outside of every other mechanism, so that wrap sees whose front ends it
// would take the place of.
const layer = 1

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{Layer: layer, FrontEnds: wrap})
}

// wrap gives each SM a front end with affine units instead of the baseline's.
func wrap(m *arch.Machine, next gpu.FrontEndBuilder) gpu.FrontEndBuilder {
	section := m.Section(Key).(*Section)
	return func(m *arch.Machine, sms []*sm.SM) ([]gpu.Driver, error) {
		drivers, err := next(m, sms)
		if err != nil {
			return nil, err
		}
		for i := range drivers {
			d := &drivers[i]
			if _, ok := d.FrontEnd.(*sm.FrontEnd); !ok || len(d.SMs) != 1 {
				return nil, fmt.Errorf("%s: cae gives each SM a front end with affine units, and another mechanism brings one of its own: take one of them away", m.Name)
			}
			if d.FrontEnd, err = newFrontEnd(section, &m.SM, d.SMs[0]); err != nil {
				return nil, err
			}
		}
		return drivers, nil
	}
}

var _ seam.SlotCounter = (*frontEnd)(nil)
