// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"
	"strings"
)

// dacPart prices a part of a run.
type dacPart func(*Measurement) (float64, error)

// dacParts makes rows of parts with DAC in percent of those of the baseline.
func dacParts(d *Data, parts ...dacPart) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		var values []float64
		for _, part := range parts {
			v, err := dacRatio(d, workload, dacOn, part)
			if err != nil {
				return nil, err
			}
			values = append(values, 100*v)
		}
		return values, nil
	})
	if err != nil {
		return nil, err
	}
	return dacMeans(d, rows, GeometricMean)
}

// dacEnergy is Fig. 21 and what section 5.6 says of its parts.
func dacEnergy(d *Data) ([]Row, error) {
	return dacParts(d, dacJoules(d, "chip", true, true), dacJoules(d, "chip", true, false), dacJoules(d, "chip", false, true),
		dacJoules(d, "chip/sm/functional units", true, false), dacJoules(d, "chip/sm/register file", true, false))
}

// dacJoules is the energy of a node.
func dacJoules(d *Data, node string, dynamic, static bool) dacPart {
	return func(m *Measurement) (float64, error) {
		report, err := d.Energy(m)
		if err != nil {
			return 0, err
		}
		of, sum := report.Node(node), 0.0
		if dynamic {
			sum += of.DynamicJ
		}
		if static {
			sum += of.StaticJ
		}
		return sum, nil
	}
}

// dacAccesses are the counts that section 5.6 gives in addition to energies.
func dacAccesses(d *Data) ([]Row, error) {
	return dacParts(d, func(m *Measurement) (float64, error) { return laneOperations(m), nil },
		func(m *Measurement) (float64, error) {
			return m.Count("register_lane_reads") + m.Count("register_lane_writes"), nil
		})
}

// elsewhere are the classes of instructions that no ALU executes.
var elsewhere = []string{"load", "store", "atomic", "texture", "barrier", "fence", "branch", "call", "exit", "nop", "invalid"}

// laneOperations is what lanes of functional units have executed.
func laneOperations(m *Measurement) float64 {
	sum := uint64(0) // the order of a map does not matter to a sum of integers
	for name, n := range m.Counters {
		if class, ok := strings.CutPrefix(name, "lane_ops_"); ok && !slices.Contains(elsewhere, class) {
			sum += n
		}
	}
	return float64(sum)
}

// dacNode is what the mechanism adds to an SM.
const dacNode = "chip/sm/dac"

// dacOverhead is the overhead that section 5.6 gives.
func dacOverhead(d *Data) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		if !slices.Contains(dacMachines, dacOn) {
			return []float64{math.NaN()}, nil
		}
		m, err := d.Run(workload, dacOn)
		if err != nil {
			return nil, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return nil, err
		}
		return []float64{Percent(report.Node(dacNode).DynamicJ, report.Total().DynamicJ)}, nil
	})
	if err != nil {
		return nil, err
	}
	return dacMeans(d, rows, Mean)
}

// dacExpansion shows which part of it the expansion units are (section 5.6).
func dacExpansion(d *Data) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, dacOn)
		if err != nil {
			return nil, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return nil, err
		}
		return []float64{Percent(report.Node(dacNode+"/expansion units").DynamicJ, report.Node(dacNode).DynamicJ)}, nil
	})
	if err != nil {
		return nil, err
	}
	return dacMeans(d, rows, Mean)
}

// dieMM2 is the die of a GTX 480 (section 4.8).
const dieMM2 = 520

// dacArea is section 4.8, with the rivals as well.
func dacArea(d *Data) ([]Row, error) {
	var values []float64
	for _, x := range []struct{ spec, node string }{{dacOn, dacNode}, {dacCAE, "chip/sm/cae"}, {dacMTA, "chip/sm/mta"}} {
		if !slices.Contains(dacMachines, x.spec) {
			values = append(values, math.NaN())
			continue
		}
		m, err := d.Run(d.Study.Workloads[0].Label, x.spec)
		if err != nil {
			return nil, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return nil, err
		}
		values = append(values, Percent(report.Node(x.node).AreaMM2, dieMM2))
	}
	return []Row{{Label: "GTX 480", Values: values}}, nil
}
