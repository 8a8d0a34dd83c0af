// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/sm"
)

func init() {
	gpu.Mechanisms.Register(key, gpu.Mechanism{FrontEnds: wrap, Independent: true})
}

// wrap gives each SM a front end with affine units instead of the baseline's.
func wrap(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
	section := m.Section(key).(*Section)
	return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
		drivers, err := next(m, cores)
		if err != nil {
			return nil, err
		}
		for i := range drivers {
			d := &drivers[i]
			sms, err := sm.Of(d.Cores)
			if err != nil {
				return nil, fmt.Errorf("cae: %w", err)
			}
			f, err := newFrontEnd(section, &m.SM, sms[0])
			if err != nil {
				return nil, err
			}
			d.FrontEnd, d.SlotsPerCycle = f, f.slotsPerCycle()
		}
		return drivers, nil
	}
}
