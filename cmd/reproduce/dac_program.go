// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/trace/wtape"
)

// What the compiler of decoupled affine computation finds in a program, by name in
// Measurement.Program.
const (
	programStatic       = "static_instructions"
	programStaticAffine = "static_affine_instructions"
	programWarp         = "warp_instructions"
	programRemoved      = "removed_warp_instructions"
	programAffine       = "affine_warp_instructions"
	programLoads        = "loads"
	programAffineLoads  = "affine_loads"
)

// dacProgram compiles the kernels and executes their affine streams without timing.
func dacProgram(t *wtape.Reader) (map[string]uint64, error) {
	kernels, err := affine.Measure(t, affine.Options{})
	if err != nil {
		return nil, err
	}
	var c affine.Coverage
	for i := range kernels {
		c.Add(&kernels[i])
	}
	return map[string]uint64{
		programStatic: c.Static, programStaticAffine: c.StaticAffine,
		programWarp: c.WarpInstructions, programRemoved: c.Removed, programAffine: c.Affine,
		programLoads: c.Loads, programAffineLoads: c.AffineLoads,
	}, nil
}

// decoupled is what DAC does to a program. Field warp counts the baseline's warp
// instructions, removed those that DAC's warps do not execute, and affine those of the
// affine warps. Field loads counts loads of global and local memory, and affineLoads
// those of the affine warps.
type decoupled struct{ warp, removed, affine, loads, affineLoads float64 }

// dacCompiled is what the compiler says of a program.
func dacCompiled(d *Data, workload string) (decoupled, error) {
	m, err := d.Run(workload, dacOff)
	if err != nil || m.Program == nil {
		nan := math.NaN()
		return decoupled{nan, nan, nan, nan, nan}, err
	}
	of := func(name string) float64 { return float64(m.Program[name]) }
	return decoupled{of(programWarp), of(programRemoved), of(programAffine), of(programLoads), of(programAffineLoads)}, nil
}

// dacExecution is what the hardware has done; what the compiler says on a machine
// without it.
func dacExecution(d *Data, workload string) (decoupled, error) {
	if !slices.Contains(dacMachines, dacOn) {
		return dacCompiled(d, workload)
	}
	return dacExecutionOn(d, workload, dacOn)
}

// dacExecutionOn is what a machine with DAC has done.
func dacExecutionOn(d *Data, workload, spec string) (decoupled, error) {
	base, err := d.Run(workload, dacOff)
	if err != nil {
		return decoupled{}, err
	}
	m, err := d.Run(workload, spec)
	if err != nil {
		return decoupled{}, err
	}
	return decoupled{
		warp: base.Count("issued_warp_instructions"), removed: m.Count("dac_removed_instructions"), affine: m.Count("dac_affine_instructions"),
		loads: m.Count("dac_loads"), affineLoads: m.Count("dac_affine_loads"),
	}, nil
}

// dacCounted makes rows of what is decoupled of each program.
func dacCounted(value func(x *decoupled) []float64) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		rows, err := dacRows(func(workload string) ([]float64, error) {
			x, err := dacExecution(d, workload)
			return value(&x), err
		})
		if err != nil {
			return nil, err
		}
		return dacMeans(d, rows, Mean)
	}
}

// dacStatic is Fig. 6.
func dacStatic(d *Data) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, dacOff)
		if err != nil || m.Program == nil {
			return []float64{math.NaN()}, err
		}
		return []float64{Percent(float64(m.Program[programStaticAffine]), float64(m.Program[programStatic]))}, nil
	})
	if err != nil {
		return nil, err
	}
	return dacMeans(d, rows, Mean)
}

// dacExecuted is Fig. 17: what the warps and the affine warps execute, and the latter
// in percent of it.
func dacExecuted(x *decoupled) []float64 {
	executed := x.warp - x.removed + x.affine
	return []float64{Percent(executed, x.warp), Percent(x.affine, executed)}
}

// dacExecutedOn is what warps and affine warps execute on machines with DAC.
func dacExecutedOn(specs ...string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		rows, err := dacRows(func(workload string) ([]float64, error) {
			var values []float64
			for _, spec := range specs {
				x, err := dacExecutionOn(d, workload, spec)
				if err != nil {
					return nil, err
				}
				values = append(values, dacExecuted(&x)[0])
			}
			return values, nil
		})
		if err != nil {
			return nil, err
		}
		return dacMeans(d, rows, Mean)
	}
}

// dacReplaced is how many of the baseline's instructions one of an affine warp takes
// the place of (section 5.3).
func dacReplaced(x *decoupled) []float64 { return []float64{Percent(x.removed, x.affine) / 100} }

// dacLoads is Fig. 19.
func dacLoads(x *decoupled) []float64 { return []float64{Percent(x.affineLoads, x.loads)} }

// dacPredicates shows how predicates were expanded (section 4.3): for all of a thread block
// at once, by a warp's first and last threads, or, the rest, on the lanes. Programs that
// decouple none have no value.
func dacPredicates(d *Data) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, dacOn)
		if err != nil {
			return nil, err
		}
		all, lanes := m.Count("dac_predicate_writes"), m.Count("dac_lane_predicates")
		return []float64{Percent(all-lanes-m.Count("dac_end_predicates"), all), Percent(all-lanes, all)}, nil
	})
	if err != nil {
		return nil, err
	}
	return dacMeans(d, rows, Mean)
}
