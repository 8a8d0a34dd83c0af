package gpu

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// Clocks are the clock domains of a machine in their common base unit.
type Clocks = memory.Clocks

func baselineMemory(m *arch.Machine, c Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
	system, err := memory.New(m, c, sets, global)
	if err != nil {
		return seam.Path{}, err
	}
	return system.Path(), nil
}

func baselineFrontEnds(_ *arch.Machine, sms []*sm.SM) ([]Driver, error) {
	var drivers []Driver
	for i := range sms {
		f, err := sm.NewFrontEnd(sms[i])
		if err != nil {
			return nil, err
		}
		drivers = append(drivers, Driver{FrontEnd: f, SMs: sms[i : i+1]})
	}
	return drivers, nil
}
