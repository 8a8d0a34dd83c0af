// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/samefloat"
)

// Technology is what a chip is made in and the point at which it runs.
type Technology struct {
	NodeNM float64 `json:"node_nm"` // feature size in nanometres, 22 to 65
	// LowPower chooses ITRS low-operating-power devices for memory structures.
	LowPower bool `json:"low_power"`
	// TemperatureK is the junction temperature in kelvin, 300 to 400; leakage
	// depends on it.
	TemperatureK float64 `json:"temperature_k"`
	// VoltageRatio is supply voltage over the node's nominal one, 0.5 to 1.3.
	VoltageRatio float64 `json:"voltage_ratio"`
	// Source says where the choice comes from.
	Source string `json:"source"`
}

// referenceKelvin is the temperature of the CACTI results.
const referenceKelvin = 360

// TechnologyOf gives the technology that a machine's description names.
func TechnologyOf(m *arch.Machine) Technology {
	t := &m.Technology
	return Technology{
		NodeNM: t.NodeNM, LowPower: t.Devices == "low_power", TemperatureK: t.TemperatureK, VoltageRatio: t.VoltageRatio,
		Source: m.Sources()["technology.node_nm"].Source,
	}
}

// Check refuses what the model does not cover.
func (t Technology) Check() error {
	for _, r := range []struct {
		key            string
		v, least, most float64
	}{
		{"node_nm", t.NodeNM, sram.MinNodeNM, sram.MaxNodeNM},
		{"temperature_k", t.TemperatureK, 300, 400},
		{"voltage_ratio", t.VoltageRatio, 0.5, 1.3},
	} {
		if math.IsNaN(r.v) || r.v < r.least || r.v > r.most {
			return fmt.Errorf("technology: %s is %g; the model covers %g to %g", r.key, r.v, r.least, r.most)
		}
	}
	return nil
}

// dynamic is the factor on dynamic energy: the square of the voltage.
func (t Technology) dynamic() float64 { return t.VoltageRatio * t.VoltageRatio }

// leakage is the factor on static power. Subthreshold current goes as
// T^2 exp(-q Vth / (n k T)) (Taur and Ning, Fundamentals of Modern VLSI Devices). The
// threshold of 0.25 V and the slope factor of 1.5 are both assumed. Power is current
// times voltage.
func (t Technology) leakage() float64 {
	const perKelvin = 0.25 / (1.5 * 8.617e-5)
	ratio := t.TemperatureK / referenceKelvin
	return t.VoltageRatio * ratio * ratio * samefloat.Exp(perKelvin*(1.0/referenceKelvin-1/t.TemperatureK))
}

// nominalVolts are the supply voltages of high-performance devices by node, rounded.
// They are in keeping with the 0.962 V at 40 nm and 0.810 V at 23 nm that GPUWattch and
// AccelWattch compute with.
var nominalVolts = curve{{22, 0.8}, {32, 0.9}, {45, 1.0}, {65, 1.1}}

// logicScale scales the energy of logic between nodes as the formulas of
// GPUWattch and AccelWattch do (logic.cc: Vdd^2 times feature size).
func logicScale(from, to float64) float64 {
	v := nominalVolts.at(to) / nominalVolts.at(from)
	return v * v * to / from
}

// areaScale scales logic area with the square of the feature size.
func areaScale(from, to float64) float64 { return to / from * (to / from) }

// curve is a function given at increasing x; between and beyond, straight lines
// in logarithms.
type curve []struct{ x, y float64 }

func (c curve) at(x float64) float64 {
	i := 1
	for i < len(c)-1 && x > c[i].x {
		i++
	}
	a, b := c[i-1], c[i]
	slope := samefloat.Log(b.y/a.y) / samefloat.Log(b.x/a.x)
	return a.y * samefloat.Exp(slope*samefloat.Log(x/a.x))
}
