package reproduce

import (
	"math"

	"github.com/warptape/warptape/energy"

	// The overlays of the studies.
	_ "github.com/warptape/warptape/timing/mechanisms"
)

// The configurations of the thesis's section 5.5.1.
const (
	tinyOff          = "gpsim-tiny"                         // notC
	tinyBase         = "gpsim-tiny+tinycache"               // tCbase: bypass_none
	tinyBypassShared = "gpsim-tiny+tinycache-bypass-shared" // global references only
	tinyBypassGlobal = "gpsim-tiny+tinycache-bypass-global" // scratchpad references only
)

// tinyLarge has four times the lines, to tell capacity from other misses.
const tinyLarge = tinyOff + "+tinycache-64x64"

// tinySizes are the configurations of section 5.5.2, entries x bytes of a line.
var tinySizes = []struct{ label, spec string }{
	{"8 x 32 B", tinyOff + "+tinycache-8x32"}, {"8 x 64 B", tinyOff + "+tinycache-8x64"}, {"8 x 128 B", tinyOff + "+tinycache-8x128"},
	{"16 x 32 B", tinyOff + "+tinycache-16x32"}, {"16 x 64 B", tinyBase}, {"16 x 128 B", tinyOff + "+tinycache-16x128"},
	{"32 x 32 B", tinyOff + "+tinycache-32x32"}, {"32 x 64 B", tinyOff + "+tinycache-32x64"}, {"32 x 128 B", tinyOff + "+tinycache-32x128"},
	{"64 x 64 B", tinyLarge},
}

// tinyGreedy are notC and tCbase with warps that go on until they stall. GPSim
// switches warps at misses and barriers only (section 3.3.2); the scheduler of
// the machine changes the warp every cycle, as Table 3.2 has it.
var tinyGreedy = []string{tinyOff + "+gto", tinyOff + "+gto+tinycache"}

// tinyAssumed vary what the overlay assumes by 50 %.
var tinyAssumed = []struct{ label, spec string }{
	{"queue of 4", tinyOff + "+tinycache-queue-4"}, {"as assumed", tinyBase}, {"queue of 12", tinyOff + "+tinycache-queue-12"},
	{"bus of 0.5 mm", tinyOff + "+tinycache-bus-0.5mm"}, {"bus of 1.5 mm", tinyOff + "+tinycache-bus-1.5mm"},
}

// specsOf lists notC and the specifications of configurations.
func specsOf(configurations []struct{ label, spec string }) []string {
	specs := []string{tinyOff}
	for _, c := range configurations {
		specs = append(specs, c.spec)
	}
	return specs
}

// onChipNodes are what the thesis counts to the on-chip memory hierarchy
// (sections 5.3.3 and 5.4): without the network and the last-level cache.
var onChipNodes = []string{"chip/sm/tinycache", "chip/sm/coalescer", "chip/sm/L1", "chip/sm/shared memory", "chip/sm/constant cache", "chip/L2"}

func init() {
	sweep := specsOf(tinySizes)
	small := []string{"small"}
	register(&Study{
		Name: "tinycache", Title: "tinyCache",
		Source: "GPSim thesis, chapter 5: a private incoherent write-back cache per lane",
		Workloads: []Workload{
			{Label: "backprop", Name: "backprop"}, {Label: "bfs", Name: "bfs"}, {Label: "convo", Name: "convolution"},
			{Label: "hotspot", Name: "hotspot"}, {Label: "saxpy", Name: "saxpy", Inputs: map[string]string{"paper": "tiny-caches"}}, {Label: "sgemm", Name: "sgemm"},
			{Label: "spmv", Name: "spmv"}, {Label: "srad", Name: "srad-v2"}, {Label: "transpose", Name: "transpose"},
		},
		Sizes:         []string{"small", "paper"},
		Calibrated:    true, // section 5.4: GPUSimPow, which is fitted to cards, and CACTI for the tinyCaches
		Architectures: []string{tinyOff, tinyBase, tinyBypassShared, tinyBypassGlobal},
		Figures: []Figure{
			{ID: "5.4", Title: "dynamic energy of the on-chip memory hierarchy", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyEnergy)},
			{ID: "5.5", Title: "IPC", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyIPC)},
			{ID: "5.6", Title: "energy-delay of the on-chip memory hierarchy", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyEnergyDelay)},
			{ID: "5.7", Title: "accesses to each level", Unit: "% of notC", Series: levelSeries, Rows: tinyLevels},
			{ID: "5.7-miss", Title: "global miss rate: DRAM accesses over references of lanes", Unit: "%", Series: []string{"notC", "tCbase", "tCpick"}, Rows: tinyMissRate},
			{ID: "5.8", Title: "what to cache: energy-delay and energy", Unit: "% of notC", Series: bypassSeries, Rows: tinyBypass},
			{ID: "5.9", Title: "sizing: IPC, mean of the workloads", Unit: "% of notC", Series: []string{"IPC"}, Architectures: sweep, Sizes: small, Rows: tinyMeans(tinySizes, tinyIPC)},
			{ID: "5.10", Title: "sizing: energy and energy-delay, means of the workloads", Unit: "% of notC", Series: []string{"E", "ED"}, Architectures: sweep, Sizes: small, Rows: tinyMeans(tinySizes, tinyEnergy, tinyEnergyDelay)},
			{ID: "hits", Title: "loads of lanes that hit in their tinyCache", Unit: "%", Series: []string{"tCbase", "tCbase with gto", "64 lines"}, Architectures: []string{tinyBase, tinyGreedy[1], tinyLarge}, Sizes: small, Rows: tinyHits},
			{ID: "5.4-gto", Title: "tCbase when warps go on until they stall", Unit: "% of notC with the same scheduler", Series: []string{"E", "ED", "IPC"}, Architectures: tinyGreedy, Sizes: small, Rows: tinyGreedyRatios},
			{ID: "assumed", Title: "assumed values of the overlay, means of the workloads", Unit: "% of notC", Series: []string{"E", "ED", "IPC"}, Architectures: specsOf(tinyAssumed), Sizes: small, Rows: tinyMeans(tinyAssumed, tinyEnergy, tinyEnergyDelay, tinyIPC)},
		},
		Headline: &Headline{Title: "mean energy of the on-chip memory hierarchy with tCbase", Unit: "% of notC", Value: tinyHeadline},
	})
}

var (
	baseAndPick  = []string{"tCbase", "tCpick"}
	levelSeries  = []string{"DL1G tCbase", "scratchpad tCbase", "L2 tCbase", "DL1G tCpick", "scratchpad tCpick", "L2 tCpick"}
	bypassSeries = []string{"ED bypass_none", "ED bypass_shared", "ED bypass_global", "E bypass_none", "E bypass_shared", "E bypass_global"}
)

// tinyMetric is a figure of a run: joules, joule seconds, instructions a cycle.
type tinyMetric func(d *Data, m *Measurement) (float64, error)

func tinyEnergy(d *Data, m *Measurement) (float64, error) {
	report, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	return onChip(report), nil
}

// onChip is the dynamic energy of the on-chip memory hierarchy in joules.
func onChip(r *energy.Report) float64 {
	sum := 0.0
	for _, node := range onChipNodes {
		sum += r.Node(node).DynamicJ
	}
	return sum
}

func tinyEnergyDelay(d *Data, m *Measurement) (float64, error) {
	e, err := tinyEnergy(d, m)
	return e * m.Nanoseconds, err
}

func tinyIPC(_ *Data, m *Measurement) (float64, error) {
	return m.Count("issued_thread_instructions") / float64(m.Cycles), nil
}

// relative is a metric on an architecture in percent of that on notC.
func relative(d *Data, workload, spec string, metric tinyMetric) (float64, error) {
	return relativeTo(d, workload, spec, tinyOff, metric)
}

func relativeTo(d *Data, workload, spec, base string, metric tinyMetric) (float64, error) {
	var values [2]float64
	for i, s := range []string{spec, base} {
		m, err := d.Run(workload, s)
		if err != nil {
			return 0, err
		}
		if values[i], err = metric(d, m); err != nil {
			return 0, err
		}
	}
	return Percent(values[0], values[1]), nil
}

// tinyPick is tCpick: the configuration with the least energy-delay product, that
// without tinyCaches included.
func tinyPick(d *Data, workload string) (string, error) {
	best, least := tinyOff, 100.0
	for _, spec := range []string{tinyBase, tinyBypassShared, tinyBypassGlobal} {
		v, err := relative(d, workload, spec, tinyEnergyDelay)
		if err != nil {
			return "", err
		}
		if v < least {
			best, least = spec, v
		}
	}
	return best, nil
}

// baseThenPick is the specifications of baseAndPick.
func baseThenPick(d *Data, workload string) ([]string, error) {
	pick, err := tinyPick(d, workload)
	return []string{tinyBase, pick}, err
}

// tinyRatios shows a metric of tCbase and tCpick.
func tinyRatios(metric tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			specs, err := baseThenPick(d, workload)
			if err != nil {
				return nil, err
			}
			return relatives(d, workload, specs, metric)
		})
	}
}

// relatives are the metrics on the specifications: those of the first metric,
// then those of the second.
func relatives(d *Data, workload string, specs []string, metrics ...tinyMetric) ([]float64, error) {
	var values []float64
	for _, metric := range metrics {
		for _, spec := range specs {
			v, err := relative(d, workload, spec, metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	return values, nil
}

func tinyBypass(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		return relatives(d, workload, []string{tinyBase, tinyBypassShared, tinyBypassGlobal}, tinyEnergyDelay, tinyEnergy)
	})
}

// counts is a metric that adds counters up.
func counts(names ...string) tinyMetric {
	return func(_ *Data, m *Measurement) (float64, error) {
		sum := 0.0
		for _, name := range names {
			sum += m.Count(name)
		}
		return sum, nil
	}
}

func tinyLevels(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		specs, err := baseThenPick(d, workload)
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, spec := range specs {
			v, err := relatives(d, workload, []string{spec}, counts("l1_reads", "l1_writes"), counts("shared_accesses"), counts("l2_reads", "l2_writes"))
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		return values, nil
	})
}

// dramLineBytes is what a DRAM access moves: a line of the last-level cache.
const dramLineBytes = 128

// tinyMissRate divides by the references of lanes, which are the same on every
// architecture: those that the baseline counts.
func tinyMissRate(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		specs, err := baseThenPick(d, workload)
		if err != nil {
			return nil, err
		}
		off, err := d.Run(workload, tinyOff)
		if err != nil {
			return nil, err
		}
		lanes := off.Count("global_lanes") + off.Count("shared_lane_reads") + off.Count("shared_lane_writes")
		var values []float64
		for _, spec := range append([]string{tinyOff}, specs...) {
			m, err := d.Run(workload, spec)
			if err != nil {
				return nil, err
			}
			values = append(values, Percent((m.Count("dram_read_bytes")+m.Count("dram_write_bytes"))/dramLineBytes, lanes))
		}
		return values, nil
	})
}

// tinyMeans shows means over the workloads for each configuration.
func tinyMeans(configurations []struct{ label, spec string }, metrics ...tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, c := range configurations {
			per, err := d.PerWorkload(func(workload string) ([]float64, error) {
				return relatives(d, workload, []string{c.spec}, metrics...)
			})
			if err != nil {
				return nil, err
			}
			rows = append(rows, Row{c.label, per[len(per)-1].Values})
		}
		return rows, nil
	}
}

func tinyHits(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, spec := range []string{tinyBase, tinyGreedy[1], tinyLarge} {
			m, err := d.Run(workload, spec)
			if err != nil {
				return nil, err
			}
			values = append(values, Percent(m.Count("tinycache_read_hits"), m.Count("tinycache_reads")))
		}
		return values, nil
	})
}

func tinyGreedyRatios(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, metric := range []tinyMetric{tinyEnergy, tinyEnergyDelay, tinyIPC} {
			v, err := relativeTo(d, workload, tinyGreedy[1], tinyGreedy[0], metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

func tinyHeadline(d *Data) (float64, error) {
	rows, err := tinyRatios(tinyEnergy)(d)
	if err != nil {
		return math.NaN(), err
	}
	return rows[len(rows)-1].Values[0], nil
}
