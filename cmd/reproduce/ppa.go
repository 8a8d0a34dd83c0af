// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptape/warptape/timing/tesla"
	teslakernels "github.com/warptape/warptape/traces/tesla"
)

// ppaProcessors are the processors of a multiprocessor in section 5.2.
var ppaProcessors = []int{4, 8, 16, 32, 64}

// ppaReference is the configuration of Table 5.1, which areas are compared with.
const ppaReference = 8

// ppaBudgets are areas, in multiprocessors of Table 5.1. The last is that of Table 5.2. In
// the first, four multiprocessors of 32 processors have room, whose 16 block slots are as
// many as the kernels have thread blocks.
var ppaBudgets = []int{8, 16}

// ppaSizes is a multiprocessor of section 5.2: registers are as many in all, and 64
// processors have warps of as many threads.
func ppaSizes(processors int) *tesla.Sizes {
	return &tesla.Sizes{
		Processors: processors, WarpWidth: ppaWarpWidth(processors), WarpSlots: 16,
		InstructionAddressBits: 8, RegisterAddressBits: ppaRegisterBits(processors), ConstantAddressBits: 6, SharedAddressBits: 10,
	}
}

func ppaWarpWidth(processors int) int { return max(processors, 32) }

func ppaRegisterBits(processors int) int {
	bits := 12
	for ; processors > 1; processors /= 2 {
		bits--
	}
	return bits
}

// ppaFit is how many multiprocessors have room in a budget.
func ppaFit(budget, processors int) int {
	area := float64(budget) * ppaSizes(ppaReference).Multiprocessor().AreaMM2
	return int(area/ppaSizes(processors).Multiprocessor().AreaMM2 + rounding)
}

// ppaSpec is the machine of a budget.
func ppaSpec(budget, processors int) string {
	return fmt.Sprintf("tesla-rtl+set(gpu.sms=%d,tesla.processors=%d,tesla.warp_width=%d,tesla.register_address_bits=%d)", ppaFit(budget, processors), processors, ppaWarpWidth(processors), ppaRegisterBits(processors))
}

// ppaSpecs are the machines of a budget.
func ppaSpecs(budget int) []string {
	var specs []string
	for _, n := range ppaProcessors {
		specs = append(specs, ppaSpec(budget, n))
	}
	return specs
}

func ppaLabel(processors int) string { return fmt.Sprintf("%d SPs", processors) }

// ppaAreaOf names a budget.
func ppaAreaOf(budget int) string { return fmt.Sprintf("area of %d x 8 SPs", budget) }

// ppaSeries names processors or budgets.
func ppaSeries(list []int, name func(int) string) []string {
	var names []string
	for _, v := range list {
		names = append(names, name(v))
	}
	return names
}

func init() {
	register("ppa", "Lies, A Configurable General Purpose Graphics Processing Unit for Power, Performance, and Area Analysis, Iowa State University, 2019: how many processors a multiprocessor should have", func() *Study {
		none := []string{} // they need no replay
		var all []string
		for _, budget := range ppaBudgets {
			all = append(all, ppaSpecs(budget)...)
		}
		budgets := ppaSeries(ppaBudgets, ppaAreaOf)
		s := &Study{
			Title: "The configurable Tesla-like GPGPU", Workloads: ppaWorkloads(), Sizes: []string{"small"}, Architectures: all,
			Figures: []Figure{
				{ID: "T5.2", Title: "synthesis of 16 multiprocessors of 8 processors, by the fitted model", Unit: "as in the columns", Series: []string{"slack, ps", "power, W", "cells, M", "area, mm²"}, Architectures: none, Rows: ppaTable52},
				{ID: "T5.3", Title: "doubling the processors of a multiprocessor, by the fitted model", Unit: "%", Series: []string{"more processors per area", "less power per processor"}, Architectures: none, Rows: ppaTable53},
				{ID: "5.1", Title: "one multiprocessor, by the fitted model", Unit: "as in the columns", Series: []string{"cells, M", "power, W", "area, mm²"}, Architectures: none, Rows: ppaMultiprocessor},
				{ID: "room", Title: "multiprocessors that have room", Unit: "multiprocessors", Series: budgets, Architectures: none, Rows: ppaRoom},
				{ID: "filled", Title: "area that these multiprocessors fill", Unit: "%", Series: budgets, Architectures: none, Rows: ppaFilled},
			},
		}
		for _, budget := range ppaBudgets {
			s.Figures = append(s.Figures,
				Figure{ID: fmt.Sprintf("cycles-%d", budget), Title: "time in the " + ppaAreaOf(budget), Unit: "cycles", Series: ppaSeries(ppaProcessors, ppaLabel), Architectures: ppaSpecs(budget), Rows: ppaPerKernel(budget, ppaCycles)},
				Figure{ID: fmt.Sprintf("energy-%d", budget), Title: "energy in the " + ppaAreaOf(budget), Unit: "µJ", Series: ppaSeries(ppaProcessors, ppaLabel), Architectures: ppaSpecs(budget), Rows: ppaPerKernel(budget, ppaMicrojoules)},
				Figure{ID: fmt.Sprintf("dynamic-%d", budget), Title: "dynamic part of the energy in the " + ppaAreaOf(budget), Unit: "%", Series: ppaSeries(ppaProcessors, ppaLabel), Architectures: ppaSpecs(budget), Rows: ppaPerKernel(budget, ppaDynamic)})
		}
		s.Figures = append(s.Figures,
			Figure{ID: "time", Title: "time of the larger kernels at equal area, geometric mean", Unit: "% of 8 SPs", Series: budgets, Rows: ppaRelative(ppaCycles)},
			Figure{ID: "energy", Title: "energy of the larger kernels at equal area, geometric mean", Unit: "% of 8 SPs", Series: budgets, Rows: ppaRelative(ppaMicrojoules)},
			Figure{ID: "pareto", Title: "geometric means of the larger kernels; 1: on the Pareto front", Unit: "as in the columns", Series: []string{"time, cycles", "energy, µJ", "front"}, Plane: true, Rows: ppaPareto})
		return s
	})
}

// ppaRuns reports whether a kernel does on so many processors what it is for. Two kernels
// are for warps of 32. LDC gives a row one constant, and in ldc_2w each warp asks for one
// of its own. In warploop_16w each warp goes round its own number of times, without SSY.
func ppaRuns(kernel string, processors int) bool {
	return processors < 64 || kernel != "ldc_2w" && kernel != "warploop_16w"
}

// ppaWorkloads are the kernels of the reference, then the larger ones.
func ppaWorkloads() []Workload {
	var list []Workload
	for _, name := range slices.Concat(teslakernels.Reference(), teslakernels.Larger()) {
		w := Workload{Label: name, Tesla: name}
		for _, budget := range ppaBudgets {
			for _, n := range ppaProcessors {
				if ppaRuns(name, n) {
					w.Architectures = append(w.Architectures, ppaSpec(budget, n))
				}
			}
		}
		list = append(list, w)
	}
	return list
}

// ppaTable52 is Table 5.2. The model has no paths.
func ppaTable52(*Data) ([]Row, error) {
	c := ppaSizes(ppaReference).Multiprocessor()
	return []Row{{Label: "16 x 8 SPs", Values: []float64{math.NaN(), 16 * c.PowerW, 16e-6 * c.Cells(), 16 * c.AreaMM2}}}, nil
}

// ppaTable53 is Table 5.3.
func ppaTable53(*Data) ([]Row, error) {
	var rows []Row
	for i, n := range ppaProcessors[1:] {
		half, c := ppaSizes(ppaProcessors[i]).Multiprocessor(), ppaSizes(n).Multiprocessor()
		rows = append(rows, Row{Label: fmt.Sprintf("%d to %d", ppaProcessors[i], n), Values: []float64{200*half.AreaMM2/c.AreaMM2 - 100, 100 - Percent(c.PowerW, 2*half.PowerW)}})
	}
	return rows, nil
}

// ppaMultiprocessor is a multiprocessor of section 5.2. Fig. 5.1 is a picture without
// numbers, whose bars can be measured.
func ppaMultiprocessor(*Data) ([]Row, error) {
	var rows []Row
	for _, n := range ppaProcessors {
		c := ppaSizes(n).Multiprocessor()
		rows = append(rows, Row{Label: ppaLabel(n), Values: []float64{1e-6 * c.Cells(), c.PowerW, c.AreaMM2}})
	}
	return rows, nil
}

// ppaRoom is how many multiprocessors the budgets have room for.
func ppaRoom(*Data) ([]Row, error) {
	return ppaPerBudget(ppaFit), nil
}

// ppaFilled is how much of the budgets they fill: multiprocessors are whole.
func ppaFilled(*Data) ([]Row, error) {
	return ppaPerBudget(func(budget, processors int) float64 {
		filled := float64(ppaFit(budget, processors)) * ppaSizes(processors).Multiprocessor().AreaMM2
		return Percent(filled, float64(budget)*ppaSizes(ppaReference).Multiprocessor().AreaMM2)
	}), nil
}

// ppaPerBudget has a row for each number of processors and a value for each budget.
func ppaPerBudget[N int | float64](value func(budget, processors int) N) []Row {
	var rows []Row
	for _, n := range ppaProcessors {
		r := Row{Label: ppaLabel(n)}
		for _, budget := range ppaBudgets {
			r.Values = append(r.Values, float64(value(budget, n)))
		}
		rows = append(rows, r)
	}
	return rows
}
