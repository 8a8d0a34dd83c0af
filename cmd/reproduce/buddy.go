// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"

	"github.com/warptape/warptape/timing/arch"
)

// The configurations of the Buddy SM paper (section 5.3).
const (
	buddyOff = "gtx480-321"
	buddy2   = "gtx480-321+buddy(members=2)"
	buddy4   = "gtx480-321+buddy(members=4)"
	buddy8   = "gtx480-321+buddy(members=8)"
	wide64   = "gtx480-321+wide(threads=64)"
	wide128  = "gtx480-321+wide(threads=128)"
)

var (
	buddySizes = []string{buddy2, buddy4, buddy8}
	buddyPairs = []string{"two-buddy", "four-buddy"}
	buddyAll   = []string{"two-buddy", "four-buddy", "eight-buddy"}
	buddyFive  = []string{"64-threaded", "128-threaded", "two-buddy", "four-buddy", "eight-buddy"}
)

// tableII are the inputs of Table II for programs whose size paper is another paper's.
var tableII = map[string]string{"paper": "buddy"}

func init() {
	varied := func(variant string) []string {
		return []string{buddyOff, buddy2, buddy4, with(buddy2, variant), with(buddy4, variant)}
	}
	others := []string{overlaid(buddyOff, simulatorCaches), overlaid(buddy2, simulatorCaches), overlaid(buddy4, simulatorCaches)}
	register("buddy", "Zhang, Jing, Jiang, Shu, Wu and Liang, Buddy SM, ACM TACO 12(2), 2015: SMs that share one pipeline front end", func() *Study {
		return &Study{
			Title: "Buddy SM",
			Workloads: []Workload{
				{Label: "BO", Name: "binomial-options"}, {Label: "CP", Name: "coulombic-potential"}, {Label: "AES", Name: "aes"},
				{Label: "PF", Name: "pathfinder"}, {Label: "BFS", Name: "bfs", Inputs: tableII}, {Label: "MS", Name: "merge-sort"},
				{Label: "HG", Name: "histogram"}, {Label: "RD", Name: "reduction", Inputs: tableII}, {Label: "SGE", Name: "sgemm", Inputs: tableII},
				{Label: "SP", Name: "scalar-product"}, {Label: "SWP", Name: "swap-portfolio"}, {Label: "DH", Name: "dwt-haar-1d"},
				{Label: "SAD", Name: "sad"}, {Label: "BS", Name: "black-scholes"}, {Label: "SQ", Name: "sobol-qrng"},
				{Label: "TP", Name: "transpose", Inputs: tableII}, {Label: "SC", Name: "scan"},
			},
			Sizes:         []string{"small", "paper"},
			Calibrated:    true, // section 5.1: GPUWattch
			Architectures: []string{buddyOff, buddy2, buddy4, buddy8},
			Figures: []Figure{
				{ID: "1", Title: "front end and fetch of the baseline", Unit: "% of the GPU's dynamic energy", Series: []string{"front end", "fetch"}, Architectures: []string{buddyOff}, Rows: buddyShares},
				{ID: "14", Title: "buddy time", Unit: "% of the SMs' cycles", Series: buddyAll, Rows: buddyTime},
				{ID: "15", Title: "performance of halfway regrouping", Unit: "% of new_kernel", Series: buddyPairs, Architectures: varied("halfway=true"), Rows: buddyHalfway},
				{ID: "16", Title: "performance of adaptive cluster formation", Unit: "% of default", Series: buddyPairs, Architectures: varied("formation=default"), Rows: buddyAdaptive},
				{ID: "17", Title: "stalled issue slots", Unit: "% of the baseline", Series: buddyPairs, Rows: buddyRatios(buddyStalls, buddy2, buddy4)},
				{ID: "18", Title: "average latency of requests that leave an SM", Unit: "% of the baseline", Series: buddyPairs, Rows: buddyRatios(buddyRequestLatency, buddy2, buddy4)},
				{ID: "19", Title: "performance", Unit: "% of the baseline", Series: buddyFive, Architectures: []string{buddyOff, wide64, wide128, buddy2, buddy4, buddy8}, Rows: buddyRatios(buddySpeed, wide64, wide128, buddy2, buddy4, buddy8)},
				{ID: "20", Title: "front-end energy saved", Unit: "%", Series: buddyPairs, Rows: buddySaved("chip/sm/front end")},
				{ID: "21", Title: "energy of the GPU saved", Unit: "%", Series: buddyPairs, Rows: buddySaved("chip")},
				{ID: "21-ten", Title: "applications that save more than 10 % of the GPU's energy", Unit: "applications", Series: buddyPairs, Rows: buddyAboveTen},
				{ID: "17-minor", Title: "applications whose stalled issue slots are at most 5 % more", Unit: "% of the applications", Series: buddyPairs, Rows: buddyShare(buddyRatios(buddyStalls, buddy2, buddy4), func(v float64) bool { return v <= 105 })},
				{ID: "18-half", Title: "applications whose requests take longer", Unit: "% of the applications", Series: buddyPairs, Rows: buddyShare(buddyRatios(buddyRequestLatency, buddy2, buddy4), func(v float64) bool { return v > 100 })},
				{ID: "19-slower", Title: "applications that large warps make slower", Unit: "% of the applications", Series: buddyFive[:2], Architectures: []string{buddyOff, wide64, wide128}, Rows: buddyShare(buddyRatios(buddySpeed, wide64, wide128), func(v float64) bool { return v < 100 })},
				{ID: "20-network", Title: "energy of the networks of the clusters", Unit: "% of the baseline's front-end energy", Series: buddyPairs, Rows: buddyNetwork},
				{ID: "18-loads", Title: "average latency of loads, those that the L1 has among them", Unit: "% of the baseline", Series: buddyPairs, Rows: buddyRatios(buddyLatency, buddy2, buddy4)},
				{ID: "18-loads-half", Title: "applications whose loads take longer", Unit: "% of the applications", Series: buddyPairs, Rows: buddyShare(buddyRatios(buddyLatency, buddy2, buddy4), func(v float64) bool { return v > 100 })},
				{ID: "20-chip", Title: "energy of the GPU saved, in parts of its front end", Unit: "% of the baseline's front-end energy", Series: buddyPairs, Rows: buddyNet},
				{ID: "1-unit", Title: "fetch unit of the baseline as McPAT has it: instruction cache, buffers, decoders and registers of the pipeline", Unit: "% of the GPU's dynamic energy", Series: []string{"a quarter of the registers", "all registers"}, Architectures: []string{buddyOff}, Rows: buddyFetchUnits},
				{ID: "1-pipeline", Title: "front end of the baseline, with all registers of the pipeline in it", Unit: "% of the GPU's dynamic energy", Series: []string{"front end", "fetch"}, Architectures: []string{buddyOff}, Rows: buddyWholePipeline(buddyShares)},
				{ID: "20-pipeline", Title: "front-end energy saved, with all registers of the pipeline in the front end", Unit: "%", Series: buddyPairs, Rows: buddyWholePipeline(buddySaved("chip/sm/front end"))},
				{ID: "20-chip-pipeline", Title: "energy of the GPU saved, in parts of its front end with all registers of the pipeline", Unit: "% of the baseline's front-end energy", Series: buddyPairs, Rows: buddyWholePipeline(buddyNet)},
				{ID: "21-pipeline", Title: "energy of the GPU saved, with all registers of the pipeline in the front end", Unit: "%", Series: buddyPairs, Rows: buddyWholePipeline(buddySaved("chip"))},
				{ID: "17-caches", Title: "stalled issue slots, with the caches of the simulator's configuration", Unit: "% of the baseline", Series: buddyPairs, Architectures: others, Rows: buddyOtherCaches(buddyRatios(buddyStalls, buddy2, buddy4))},
				{ID: "18-caches", Title: "average latency of requests that leave an SM, with the caches of the simulator's configuration", Unit: "% of the baseline", Series: buddyPairs, Architectures: others, Rows: buddyOtherCaches(buddyRatios(buddyRequestLatency, buddy2, buddy4))},
				{ID: "19-caches", Title: "performance, with the caches of the simulator's configuration", Unit: "% of the baseline", Series: buddyPairs, Architectures: others, Rows: buddyOtherCaches(buddyRatios(buddySpeed, buddy2, buddy4))},
				{ID: "20-caches", Title: "front-end energy saved, with the caches of the simulator's configuration", Unit: "%", Series: buddyPairs, Architectures: others, Rows: buddyOtherCaches(buddySaved("chip/sm/front end"))},
				{ID: "21-caches", Title: "energy of the GPU saved, with the caches of the simulator's configuration", Unit: "%", Series: buddyPairs, Architectures: others, Rows: buddyOtherCaches(buddySaved("chip"))},
			},
			Headline: &Headline{Title: "mean front-end energy saved with four-buddy", Unit: "%", Value: buddyHeadline},
		}
	})
}

// buddyShares are parts of the dynamic energy of the baseline's chip (section 1).
func buddyShares(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, buddyOff)
		if err != nil {
			return nil, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return nil, err
		}
		chip := report.Node("chip").DynamicJ
		return []float64{Percent(report.Node("chip/sm/front end").DynamicJ, chip), Percent(report.Node("chip/sm/front end/fetch").DynamicJ, chip)}, nil
	})
}

// buddyTime is the part of the time in which SMs issue together (section 6.1).
func buddyTime(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, spec := range buddySizes {
			m, err := d.Run(workload, spec)
			if err != nil {
				return nil, err
			}
			machine, err := arch.Load(spec)
			if err != nil {
				return nil, err
			}
			values = append(values, Percent(m.Count("buddy_lockstep_cycles"), float64(m.Cycles)*float64(machine.GPU.SMs)))
		}
		return values, nil
	})
}

// buddyMetric is a figure of a run.
type buddyMetric func(m *Measurement) float64

func buddySpeed(m *Measurement) float64 { return 1 / float64(m.Cycles) }

// buddyStalls are the issue slots that warps could not use.
func buddyStalls(m *Measurement) float64 {
	return m.Count("issue_slots") - m.Count("slots_issued") - m.Count("stall_idle")
}

// buddyLatency is the mean time of a load that the L1 or what lies behind it has.
func buddyLatency(m *Measurement) float64 {
	return m.Count("load_latency_cycles") / m.Count("load_requests")
}

// buddyRatios shows a metric on the specifications in percent of the baseline's.
func buddyRatios(metric buddyMetric, specs ...string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			base, err := d.Run(workload, buddyOff)
			if err != nil {
				return nil, err
			}
			var values []float64
			for _, spec := range specs {
				m, err := d.Run(workload, spec)
				if err != nil {
					return nil, err
				}
				values = append(values, Percent(metric(m), metric(base)))
			}
			return values, nil
		})
	}
}

// buddyHalfway is the speed of halfway regrouping relative to new_kernel, of the
// workloads that have been ungrouped.
func buddyHalfway(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		return buddyVariant(d, workload, "halfway=true", func(normal, halfway *Measurement) float64 {
			if normal.Count("buddy_ungroups") == 0 {
				return math.NaN()
			}
			return Percent(buddySpeed(halfway), buddySpeed(normal))
		})
	})
}

// buddyAdaptive is the speed of adaptive formation relative to default.
func buddyAdaptive(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		return buddyVariant(d, workload, "formation=default", func(adaptive, normal *Measurement) float64 {
			return Percent(buddySpeed(adaptive), buddySpeed(normal))
		})
	})
}

// buddyVariant compares two-buddy and four-buddy with a variant.
func buddyVariant(d *Data, workload, variant string, compare func(normal, varied *Measurement) float64) ([]float64, error) {
	var values []float64
	for _, spec := range []string{buddy2, buddy4} {
		normal, err := d.Run(workload, spec)
		if err != nil {
			return nil, err
		}
		varied, err := d.Run(workload, with(spec, variant))
		if err != nil {
			return nil, err
		}
		values = append(values, compare(normal, varied))
	}
	return values, nil
}

// buddySaved shows what is saved of the energy of a node of the chip; what the
// clusters add is the node's (section 6.6).
func buddySaved(node string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			base, err := buddySpent(d, workload, buddyOff, node)
			if err != nil {
				return nil, err
			}
			var values []float64
			for _, spec := range []string{buddy2, buddy4} {
				spent, err := buddySpent(d, workload, spec, node)
				if err != nil {
					return nil, err
				}
				values = append(values, 100-Percent(spent, base))
			}
			return values, nil
		})
	}
}

// buddyWholePipeline are rows with all of the pipeline's registers in the front end. GPUWattch
// shares the registers out to four units, one of them fetch. The paper does not say which
// units its slaves power off.
func buddyWholePipeline(rows func(*Data) ([]Row, error)) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		whole, err := d.coefficients.With("pipeline.front_end_share", 1)
		if err != nil {
			return nil, err
		}
		return rows(newData(d.Study, d.results, whole))
	}
}

// buddyAboveTen counts the applications that save more than 10 % (section 6.7).
func buddyAboveTen(d *Data) ([]Row, error) {
	rows, err := buddySaved("chip")(d)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(buddyPairs))
	for _, r := range rows[:len(rows)-1] { // the last is the mean
		for k, v := range r.Values {
			if v > 10 {
				values[k]++
			}
		}
	}
	return []Row{{Label: "applications", Values: values}}, nil
}

// buddyShare shows how many of the applications have values that hold, in percent. The last
// of the rows is the mean.
func buddyShare(rows func(*Data) ([]Row, error), holds func(v float64) bool) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		of, err := rows(d)
		if err != nil {
			return nil, err
		}
		values := make([]float64, len(of[0].Values))
		for _, r := range of[:len(of)-1] {
			for k, v := range r.Values {
				if holds(v) {
					values[k] += 100 / float64(len(of)-1)
				}
			}
		}
		return []Row{{Label: "applications", Values: values}}, nil
	}
}

// buddyNetwork shows what the networks of the clusters take (section 6.6).
func buddyNetwork(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		base, err := buddySpent(d, workload, buddyOff, "chip/sm/front end")
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, spec := range []string{buddy2, buddy4} {
			m, err := d.Run(workload, spec)
			if err != nil {
				return nil, err
			}
			report, err := d.Energy(m)
			if err != nil {
				return nil, err
			}
			of := report.Node("chip/buddy/network")
			values = append(values, Percent(of.DynamicJ+of.StaticJ, base))
		}
		return values, nil
	})
}

// buddySpent is the energy of a node, that of the clusters' networks and
// scoreboards included, in joules.
func buddySpent(d *Data, workload, spec, node string) (float64, error) {
	m, err := d.Run(workload, spec)
	if err != nil {
		return 0, err
	}
	report, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	of := report.Node(node)
	sum := of.DynamicJ + of.StaticJ
	if node != "chip" {
		extra := report.Node("chip/buddy")
		sum += extra.DynamicJ + extra.StaticJ
	}
	return sum, nil
}

func buddyHeadline(d *Data) (float64, error) {
	rows, err := buddySaved("chip/sm/front end")(d)
	if err != nil {
		return 0, err
	}
	return rows[len(rows)-1].Values[1], nil
}
