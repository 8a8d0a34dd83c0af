// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"

	"github.com/warptape/warptape/trace/samefloat"
)

// The machines of the paper on decoupled affine computation (section 5.1): the
// baseline, with a perfect memory for the classification of programs, with the two
// rivals, and with the mechanism.
const (
	dacOff     = "gtx480-15"
	dacPerfect = "gtx480-15+perfect-memory"
	dacCAE     = "gtx480-15+cae"
	dacMTA     = "gtx480-15+mta"
	dacOn      = "gtx480-15+dac"
	// What the paper leaves open, the other way round: with scratchpad addresses (D49); with
	// barriers that hold all expansion (D187); and what its rule for loads costs (section
	// 4.1). Warps supply the outcome of some branches: the affine warp follows those in
	// everything (section 4.5), or in what comes behind (D186).
	dacScratchpad  = "gtx480-15+dac(keep_scratchpad=false)"
	dacFollow      = "gtx480-15+dac(data_dependent=follow)"
	dacLeave       = "gtx480-15+dac(data_dependent=leave)"
	dacHolding     = "gtx480-15+dac(barrier=expansion)"
	dacNonblocking = "gtx480-15+dac(issue_before_data=true)"
	// When a batch of thread blocks begins (D42): when none of the one before is left, or as
	// soon as one waits and the affine warp is free.
	dacWhole  = "gtx480-15+dac+set(dac.batch=whole)"
	dacAtOnce = "gtx480-15+dac+set(dac.gather_cycles=0,dac.gather_share=0)"
	// Section 5.1.1 has each scheduler take two cycles to issue a warp instruction: of
	// the lanes' clock, as on the card, or of the simulator's core clock, as here.
	dacHalf            = "gtx480-15+half-issue"
	dacHalfOn          = dacHalf + "+dac"
	dacHalfFollow      = dacHalf + "+dac(data_dependent=follow)"
	dacHalfNonblocking = dacHalf + "+dac(issue_before_data=true)"
)

// memoryIntensive is the speed-up by a perfect memory from which on a program is
// memory-intensive (section 5.1.2).
const memoryIntensive = 1.5

// dacPrograms are the programs of Table 2, the compute-intensive ones first.
var dacPrograms = []Workload{
	{Label: "CP", Name: "coulombic-potential"}, {Label: "STO", Name: "store-gpu"}, {Label: "AES", Name: "aes"},
	{Label: "MQ", Name: "mri-q"}, {Label: "TP", Name: "tpacf"}, {Label: "FFT", Name: "fft"}, {Label: "BP", Name: "backprop"},
	{Label: "SR1", Name: "srad-v1"}, {Label: "HS", Name: "hotspot"}, {Label: "PF", Name: "pathfinder"}, {Label: "BS", Name: "black-scholes"},
	{Label: "LIB", Name: "swap-portfolio"}, {Label: "SG", Name: "sgemm"}, {Label: "ST", Name: "stencil"},
	{Label: "IMG", Name: "image-histogram"}, {Label: "HI", Name: "histogram"}, {Label: "LBM", Name: "lbm"}, {Label: "SPV", Name: "spmv"},
	{Label: "BT", Name: "btree"}, {Label: "LUD", Name: "lud"}, {Label: "SR2", Name: "srad-v2"}, {Label: "SC", Name: "streamcluster"},
	{Label: "KM", Name: "kmeans"}, {Label: "BFS", Name: "bfs"}, {Label: "CFD", Name: "cfd"}, {Label: "MC", Name: "monte-carlo"},
	{Label: "MT", Name: "mersenne-twister"}, {Label: "SP", Name: "scalar-product"}, {Label: "CS", Name: "convolution-separable"},
}

// dacCompute is how many of the programs Table 2 lists as compute-intensive.
const dacCompute = 11

// dacVariants vary what the overlay of the prefetcher assumes.
var dacVariants = []string{dacMTA, with(dacMTA, "high_percent=1000000,low_percent=1000000,degree=0"), with(dacMTA, "distance=4")}

// dacMachines are the machines of most figures.
var dacMachines = []string{dacOff, dacPerfect, dacCAE, dacMTA, dacOn}

func init() {
	register("dac", "Wang and Lin, Decoupled affine computation for SIMT GPUs, ISCA 2017: scalar and affine work done once for all warps, ahead of them", func() *Study {
		return &Study{
			Title:         "Decoupled affine computation",
			Workloads:     dacPrograms,
			Sizes:         []string{"small", "paper"},
			Calibrated:    true, // section 5.1: GPUWattch
			Architectures: dacMachines,
			Program:       dacProgram,
			Figures: []Figure{
				{ID: "class", Title: "speed-up by a perfect memory, which makes a program memory-intensive (section 5.1.2)", Unit: "x", Series: []string{"perfect memory"}, Rows: dacClasses},
				{ID: "6", Title: "instructions of the kernels that compute on scalars and thread indices", Unit: "% of static instructions", Series: []string{"affine"}, Rows: dacStatic},
				{ID: "16", Title: "speed-up", Unit: "x", Series: []string{"CAE", "MTA", "DAC"}, Rows: dacSpeedupsOn(dacCAE, dacMTA, dacOn)},
				{ID: "17", Title: "warp instructions executed with DAC, and the affine warps' among them", Unit: "% of the baseline, % of all executed", Series: []string{"executed", "affine"}, Rows: dacCounted(dacExecuted)},
				{ID: "17-replaced", Title: "warp instructions that one of the affine warp takes the place of", Unit: "warp instructions", Series: []string{"replaced"}, Rows: dacCounted(dacReplaced)},
				{ID: "18", Title: "affine instructions", Unit: "% of the baseline's warp instructions", Series: []string{"DAC", "CAE", "CAE, not scalar"}, Rows: dacCoverage},
				{ID: "19", Title: "requests of global and local loads that the affine warp issues", Unit: "%", Series: []string{"affine loads"}, Rows: dacCounted(dacLoads)},
				{ID: "20", Title: "MTA: L1 misses covered, and prefetches that a load wanted", Unit: "%", Series: []string{"coverage", "accuracy"}, Rows: dacPrefetching},
				{ID: "4.3", Title: "predicates expanded by one comparison, or by those of a warp's first and last threads as well", Unit: "% of the predicates of warps", Series: []string{"scalar", "convergent"}, Rows: dacPredicates},
				{ID: "assumed", Title: "MTA without its throttle, and with a longer distance: speed-up", Unit: "x", Series: []string{"as assumed", "unthrottled", "distance of 4"}, Architectures: append([]string{dacOff, dacPerfect}, dacVariants...), Sizes: []string{"small"}, Rows: dacSpeedupsOn(dacVariants...)},
				{ID: "16-open", Title: "speed-up of DAC with scratchpad addresses, with an affine warp past data-dependent branches, with barriers that hold all expansion, and with early loads", Unit: "x", Series: []string{"DAC", "with scratchpad", "follows data", "leaves what data decide", "barriers hold expansion", "loads issue early"}, Architectures: []string{dacOff, dacPerfect, dacOn, dacScratchpad, dacFollow, dacLeave, dacHolding, dacNonblocking}, Sizes: []string{"small"}, Rows: dacSpeedupsOn(dacOn, dacScratchpad, dacFollow, dacLeave, dacHolding, dacNonblocking)},
				{ID: "17-open", Title: "warp instructions executed with DAC, with scratchpad addresses, and with an affine warp past data-dependent branches", Unit: "% of the baseline", Series: []string{"DAC", "with scratchpad", "follows data"}, Architectures: []string{dacOff, dacPerfect, dacOn, dacScratchpad, dacFollow}, Sizes: []string{"small"}, Rows: dacExecutedOn(dacOn, dacScratchpad, dacFollow)},
				{ID: "16-issue", Title: "speed-up of DAC where a scheduler takes two core cycles to issue, also with an affine warp past data-dependent branches or with early loads", Unit: "x", Series: []string{"DAC", "follows data", "loads issue early"}, Architectures: []string{dacOff, dacPerfect, dacHalf, dacHalfOn, dacHalfFollow, dacHalfNonblocking}, Sizes: []string{"small"}, Rows: dacSpeedupsOver(dacHalf, dacHalfOn, dacHalfFollow, dacHalfNonblocking)},
				{ID: "16-batches", Title: "speed-up of DAC by when a batch of thread blocks begins: as assumed, when none of the one before is left, as soon as one waits", Unit: "x", Series: []string{"as assumed", "whole", "at once"}, Architectures: []string{dacOff, dacPerfect, dacOn, dacWhole, dacAtOnce}, Sizes: []string{"small"}, Rows: dacSpeedupsOn(dacOn, dacWhole, dacAtOnce)},
				{ID: "batches", Title: "thread blocks in a batch, likewise", Unit: "thread blocks", Series: []string{"as assumed", "whole", "at once"}, Architectures: []string{dacOff, dacPerfect, dacOn, dacWhole, dacAtOnce}, Sizes: []string{"small"}, Rows: dacBatches(dacOn, dacWhole, dacAtOnce)},
				{ID: "21", Title: "energy with DAC", Unit: "% of the baseline", Series: []string{"total", "dynamic", "static", "ALUs", "register file"}, Rows: dacEnergy},
				{ID: "21-accesses", Title: "operations of lanes and accesses to registers with DAC", Unit: "% of the baseline", Series: []string{"ALU operations", "register accesses"}, Rows: dacAccesses},
				{ID: "21-overhead", Title: "energy of what DAC adds", Unit: "% of the dynamic energy", Series: []string{"overhead"}, Rows: dacOverhead},
				{ID: "21-expansion", Title: "energy of the expansion units", Unit: "% of what DAC adds", Series: []string{"expansion units"}, Rows: dacExpansion},
				{ID: "4.8", Title: "area of what DAC adds, and of the rivals", Unit: "% of a die of 520 mm2", Series: []string{"DAC", "CAE", "MTA"}, Rows: dacArea},
			},
		}
	})
}

// dacRatio is a metric on a machine over that on the baseline, NaN for a machine that
// does not exist.
func dacRatio(d *Data, workload, spec string, metric func(*Measurement) (float64, error)) (float64, error) {
	return dacRatioOver(d, workload, dacOff, spec, metric)
}

// dacRatioOver does it with another baseline.
func dacRatioOver(d *Data, workload, baseline, spec string, metric func(*Measurement) (float64, error)) (float64, error) {
	if spec == dacOn && !slices.Contains(dacMachines, spec) {
		return math.NaN(), nil
	}
	var values [2]float64
	for i, s := range []string{spec, baseline} {
		m, err := d.Run(workload, s)
		if err != nil {
			return 0, err
		}
		if values[i], err = metric(m); err != nil {
			return 0, err
		}
	}
	return values[0] / values[1], nil
}

func dacSpeed(m *Measurement) (float64, error) { return 1 / float64(m.Cycles), nil }

// dacRows makes a row for each program.
func dacRows(value func(workload string) ([]float64, error)) ([]Row, error) {
	var rows []Row
	for i := range dacPrograms {
		values, err := value(dacPrograms[i].Label)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{Label: dacPrograms[i].Label, Values: values})
	}
	return rows, nil
}

func dacClasses(d *Data) ([]Row, error) {
	return dacRows(func(workload string) ([]float64, error) {
		v, err := dacRatio(d, workload, dacPerfect, dacSpeed)
		return []float64{v}, err
	})
}

// dacMeans appends means over programs: over all, over those that are compute- and
// memory-intensive here, and over those that are it in Table 2.
func dacMeans(d *Data, rows []Row, mean func([]Row) []float64) ([]Row, error) {
	classes, err := dacClasses(d)
	if err != nil {
		return nil, err
	}
	var compute, memory []Row
	for i := range rows {
		if classes[i].Values[0] >= memoryIntensive {
			memory = append(memory, rows[i])
		} else {
			compute = append(compute, rows[i])
		}
	}
	listed := rows[:len(rows):len(rows)]
	return append(listed,
		meanOf("mean", listed, mean(listed)), meanOf("compute-intensive", compute, orNone(mean(compute), rows)), meanOf("memory-intensive", memory, orNone(mean(memory), rows)),
		meanOf("compute-intensive in Table 2", listed[:dacCompute], mean(listed[:dacCompute])), meanOf("memory-intensive in Table 2", listed[dacCompute:], mean(listed[dacCompute:]))), nil
}

// orNone gives the values, or as many without a value as a row has when there are
// none.
func orNone(values []float64, rows []Row) []float64 {
	if values != nil {
		return values
	}
	return slices.Repeat([]float64{math.NaN()}, len(rows[0].Values))
}

// GeometricMean is that of each column, over the rows that have a value.
func GeometricMean(rows []Row) []float64 {
	logs := make([]Row, len(rows))
	for i := range rows {
		for _, v := range rows[i].Values {
			logs[i].Values = append(logs[i].Values, samefloat.Log(v))
		}
	}
	means := Mean(logs)
	for k := range means {
		means[k] = samefloat.Exp(means[k])
	}
	return means
}

// dacSpeedupsOn shows the speed-ups of machines.
func dacSpeedupsOn(specs ...string) func(*Data) ([]Row, error) {
	return dacSpeedupsOver(dacOff, specs...)
}

// dacSpeedupsOver shows them over another baseline.
func dacSpeedupsOver(baseline string, specs ...string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		rows, err := dacRows(func(workload string) ([]float64, error) {
			var values []float64
			for _, spec := range specs {
				v, err := dacRatioOver(d, workload, baseline, spec, dacSpeed)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		})
		if err != nil {
			return nil, err
		}
		return dacMeans(d, rows, GeometricMean)
	}
}

// dacBatches shows how many thread blocks an affine warp was launched for.
func dacBatches(specs ...string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		rows, err := dacRows(func(workload string) ([]float64, error) {
			var values []float64
			for _, spec := range specs {
				m, err := d.Run(workload, spec)
				if err != nil {
					return nil, err
				}
				values = append(values, Percent(m.Count("blocks_dispatched"), m.Count("dac_batches"))/100)
			}
			return values, nil
		})
		if err != nil {
			return nil, err
		}
		return dacMeans(d, rows, Mean)
	}
}

// dacCoverage is Fig. 18: what the compiler of DAC takes from the warps, and what the
// rival's affine units have executed.
func dacCoverage(d *Data) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, dacCAE)
		if err != nil {
			return nil, err
		}
		all, affine := m.Count("issued_warp_instructions"), m.Count("cae_affine_instructions")
		x, err := dacExecution(d, workload)
		if err != nil {
			return nil, err
		}
		return []float64{Percent(x.removed, x.warp), Percent(m.Count("cae_scalar_instructions")+affine, all), Percent(affine, all)}, nil
	})
	if err != nil {
		return nil, err
	}
	// Means are geometric as in the paper; of the last column, with zeros, arithmetic.
	return dacMeans(d, rows, func(rows []Row) []float64 {
		means := GeometricMean(rows)
		if len(means) > 0 {
			means[2] = Mean(rows)[2]
		}
		return means
	})
}

// dacPrefetching is Fig. 20: what the prefetcher covers of the reads that would go
// beyond the L1, and how many of its own were of use.
func dacPrefetching(d *Data) ([]Row, error) {
	rows, err := dacRows(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, dacMTA)
		if err != nil {
			return nil, err
		}
		useful := m.Count("mta_useful")
		return []float64{Percent(useful, useful+m.Count("l1_read_misses")), Percent(useful, m.Count("mta_prefetches"))}, nil
	})
	if err != nil {
		return nil, err
	}
	return dacMeans(d, rows, Mean)
}
