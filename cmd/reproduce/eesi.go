package reproduce

import "fmt"

// The systems of Table 6.4. All switch warps at every instruction (section 6.5.1), unless
// a trigger is named.
const (
	eesiPD  = "gpsim-eesi-base+switch(on=all)"
	eesiSE  = "gpsim-eesi-base+switch(on=all)+divergence(policy=serial)"
	eesiSER = "gpsim-eesi-base+switch(on=all)+divergence(policy=serial-rounds)"
	eesiSBI = "gpsim-sbi"
	eesiT   = "eesi"
	eesiAll = "eesi+set(eesi.turn=all)" // a warp set has its turn when all its lanes can issue
	eesiM   = "eesi+divergence(policy=eesi-m)"
	eesiNo  = "eesi+set(eesi.tiny_lines=0)" // without tiny instruction caches
)

// eesiTriggers are the words of Table 6.5.
var eesiTriggers = []configuration{{"NON", "non"}, {"MEM", "mem"}, {"BRA", "bra"}, {"MBR", "mbr"}, {"ALL", "all"}}

// eesiSizes are tiny instruction caches of lines of 64 bytes.
var eesiSizes = []configuration{
	{"8 x 64 B", "eesi+set(eesi.tiny_lines=8)"}, {"16 x 64 B", eesiT}, {"32 x 64 B", "eesi+set(eesi.tiny_lines=32)"},
	{"16 x 32 B", "eesi+set(eesi.tiny_line_bytes=32)"},
}

// eesiAssumed vary what the machine assumes by half.
var eesiAssumed = []configuration{
	{"as assumed", eesiT}, {"3 registers above", "eesi+set(eesi.upper_registers=3)"}, {"9 registers above", "eesi+set(eesi.upper_registers=9)"},
	{"2 requests for lines", "eesi+set(eesi.line_requests=2)"},
}

// underTriggers are the specifications of a system under every trigger.
func underTriggers(system string) (specs []string) {
	for _, t := range eesiTriggers {
		specs = append(specs, fmt.Sprintf("%s+switch(on=%s)", system, t.spec))
	}
	return specs
}

// eesiReadings are long-latency instructions as the text, and the simulator, may mean them.
var eesiReadings = []string{"mem", "mem-every", "mem-miss"}

func readingsOf(system string) (specs []string) {
	for _, word := range eesiReadings {
		specs = append(specs, fmt.Sprintf("%s+switch(on=%s)", system, word))
	}
	return specs
}

// eesiWorkloads are those of Table 5.2, as in the study of chapter 5, and needle.
var eesiWorkloads = append([]Workload{{Label: "needle", Name: "needle"}}, tinyWorkloads...)

func init() {
	bases, lanes := underTriggers("gpsim-eesi-base"), underTriggers(eesiT)
	lanes[len(lanes)-1] = eesiT // as the machine is
	register("eesi", "GPSim thesis, chapter 6: lanes with their own fetch, for GPU programs", func() *Study {
		return &Study{
			Title:         "EESI",
			Workloads:     eesiWorkloads,
			Sizes:         []string{"small"},
			Calibrated:    true, // section 6.4.1: GPUSimPow and CACTI
			Architectures: []string{eesiPD},
			Figures: []Figure{
				{ID: "6.4", Title: "performance of systems that handle divergence, all switching at every instruction", Unit: "% of GPU-PD", Series: systemNames, Architectures: systemSpecs(), Rows: eesiSystems(speed)},
				{ID: "6.4-time", Title: "execution time of the same", Unit: "% of GPU-PD", Series: systemNames, Architectures: systemSpecs(), Rows: eesiSystems(delay)},
				{ID: "6.5", Title: "on-chip dynamic energy per instruction of the same", Unit: "% of GPU-PD", Series: systemNames, Architectures: systemSpecs(), Rows: eesiSystems(onChip)},
				{ID: "6.6a-PD", Title: "performance of GPU-PD under the triggers of Table 6.5", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(bases...), Rows: eesiRelative(speed, bases...)},
				{ID: "6.6a-EESI", Title: "performance of EESI under the triggers of Table 6.5", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(lanes...), Rows: eesiRelative(speed, lanes...)},
				{ID: "6.6b-PD", Title: "energy per instruction of GPU-PD under the triggers", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(bases...), Rows: eesiRelative(onChip, bases...)},
				{ID: "6.6b-EESI", Title: "energy per instruction of EESI under the triggers", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(lanes...), Rows: eesiRelative(onChip, lanes...)},
				{ID: "6.6-readings", Title: "performance under MEM as it can be read: loads from beyond the SM, every memory instruction, misses of the simulator's filter", Unit: "% of GPU-PD/ALL", Series: []string{"PD mem", "PD every", "PD miss", "EESI mem", "EESI every", "EESI miss"},
					Architectures: withPD(append(readingsOf("gpsim-eesi-base"), readingsOf("eesi")...)...), Rows: eesiRelative(speed, append(readingsOf("gpsim-eesi-base"), readingsOf("eesi")...)...)},
				{ID: "6.5.3", Title: "execution time of EESI-M, and of EESI-T whose warp sets wait for all lanes", Unit: "% of EESI-T", Series: []string{"EESI-M", "EESI-T, all"}, Architectures: []string{eesiT, eesiM, eesiAll}, Rows: eesiPolicies},
				{ID: "6.7", Title: "without tiny instruction caches", Unit: "% of GPU-PD/ALL", Series: []string{"time", "time without", "energy", "energy without"}, Architectures: withPD(eesiT, eesiNo), Rows: eesiWithout},
				{ID: "6.8", Title: "sizes of the tiny instruction cache: execution time", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiSizes), Architectures: withPD(specList(eesiSizes)...), Rows: eesiRelative(delay, specList(eesiSizes)...)},
				{ID: "6.8-energy", Title: "sizes of the tiny instruction cache: energy per instruction", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiSizes), Architectures: withPD(specList(eesiSizes)...), Rows: eesiRelative(onChip, specList(eesiSizes)...)},
				{ID: "assumed", Title: "assumed values of the machine: means of execution time and energy per instruction", Unit: "% of GPU-PD/ALL", Series: []string{"time", "energy"}, Architectures: withPD(specList(eesiAssumed)...), Rows: eesiMeans(eesiAssumed, delay, onChip)},
			},
			Headline: &Headline{Title: "mean performance of EESI", Unit: "% of GPU-PD", Value: eesiHeadline},
		}
	})
}

// systems are those of Figure 6.4, with what text and simulator, or readings, make two of.
var systems = []configuration{{"GPU-SE", eesiSE}, {"GPU-SE, rounds", eesiSER}, {"GPU-SBI", eesiSBI}, {"EESI", eesiT}, {"EESI, all", eesiAll}}

var systemNames = titlesOf(systems)

func systemSpecs() []string { return withPD(specList(systems)...) }

func titlesOf(list []configuration) (labels []string) {
	for _, c := range list {
		labels = append(labels, c.label)
	}
	return labels
}

func specList(list []configuration) (specs []string) {
	for _, c := range list {
		specs = append(specs, c.spec)
	}
	return specs
}

func triggerNames() []string { return titlesOf(eesiTriggers) }

// withPD puts the system before others with which all are compared.
func withPD(specs ...string) []string { return append([]string{eesiPD}, specs...) }
