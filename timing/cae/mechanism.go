package cae

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/sm"
)

func init() {
	gpu.Mechanisms.Register(Key, gpu.Mechanism{FrontEnds: wrap})
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
			f, err := newFrontEnd(section, &m.SM, d.SMs[0])
			if err != nil {
				return nil, err
			}
			d.FrontEnd, d.SlotsPerCycle = f, f.slotsPerCycle()
		}
		return drivers, nil
	}
}
