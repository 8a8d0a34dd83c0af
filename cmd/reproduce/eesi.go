// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"slices"

	cputraces "github.com/warptape/warptape/traces/cpu"
)

// The systems of Table 6.4. All switch warps at every instruction (section 6.5.1), unless
// a trigger is named.
const (
	eesiPD  = "gpsim-eesi-base+switch(on=all)"
	eesiSE  = "gpsim-eesi-base+divergence(policy=serial)+switch(on=all)"
	eesiSER = "gpsim-eesi-base+switch(on=all)+divergence(policy=serial-rounds)"
	eesiSBI = "gpsim-sbi"
	eesiT   = "eesi"
	eesiAll = "eesi+set(eesi.turn=all)" // a warp set has its turn when all its lanes can issue
	eesiM   = "eesi+divergence(policy=eesi-m)"
	eesiNo  = "eesi+set(eesi.tiny_lines=0)" // without tiny instruction caches
	eesiMEM = "gpsim-eesi-base+switch(on=mem)"
	eesiNON = "gpsim-eesi-base+switch(on=non)"
	// eesiHalf has the tiny instruction cache of sections 6.3 and 6.5.4; eesiT has that of
	// Table 6.2.
	eesiHalf = "eesi+set(eesi.tiny_lines=8)"
)

// eesiTriggers are the words of Table 6.5.
var eesiTriggers = []configuration{{"NON", "non"}, {"MEM", "mem"}, {"BRA", "bra"}, {"MBR", "mbr"}, {"ALL", "all"}}

// eesiSizes are tiny instruction caches of lines of 64 bytes.
var eesiSizes = []configuration{
	{"8 x 64 B", eesiHalf}, {"16 x 64 B", eesiT}, {"32 x 64 B", "eesi+set(eesi.tiny_lines=32)"},
	{"16 x 32 B", "eesi+set(eesi.tiny_line_bytes=32)"},
}

// eesiAssumed vary what the machine assumes by half.
var eesiAssumed = []configuration{
	{"as assumed", eesiT}, {"3 registers above", "eesi+set(eesi.upper_registers=3)"}, {"9 registers above", "eesi+set(eesi.upper_registers=9)"},
	{"2 requests for lines", "eesi+set(eesi.line_requests=2)"},
}

// Few programs stand for all where the text shows no figure: replays under eesi-m cost most.
var (
	eesiFew     = []string{"needle", "backprop"}
	eesiVaried  = []string{"needle", "backprop", "bfs"}
	eesiMissing = []string{"needle", "backprop", "hotspot", "sgemm"} // those of the published gain
	eesiWaiting = []string{"needle", "backprop", "hotspot", "saxpy"}
)

// eesiFour are programs of short replays, for experiments with many machines.
var eesiFour = []string{"needle", "backprop", "saxpy", "sgemm"}

// eesiForwarded has results of arithmetic and scratchpad a cycle after the operands.
const eesiForwarded = "+set(sm.latencies.int_add.cycles=1,sm.latencies.int_mul.cycles=1,sm.latencies.int_mad.cycles=1,sm.latencies.int_minmax.cycles=1,sm.latencies.f32_add.cycles=1,sm.latencies.f32_mul.cycles=1,sm.latencies.f32_fma.cycles=1,sm.latencies.f32_minmax.cycles=1,shared_memory.latency_cycles=1)"

// eesiPolicyTriggers are the systems that the text does not show under every trigger.
var eesiPolicyTriggers = []configuration{
	{"GPU-PD", "gpsim-eesi-base"}, {"GPU-SE", "gpsim-eesi-base+divergence(policy=serial)"}, {"GPU-SBI", eesiSBI}, {"EESI-T", eesiT}, {"EESI-M", eesiM},
}

// eesiChanged are pairs of machines, the base and EESI, with one thing changed that may
// keep programs from the published gain.
var eesiChanged = []struct{ label, base, lanes string }{
	{"as is", eesiPD, eesiT},
	{"base fetches in 4 cycles", eesiPD + "+set(sm.decode_cycles=5)", eesiT},
	{"12 warps", eesiPD + "+set(sm.max_warps=12,sm.max_threads=384)", eesiT + "+set(sm.max_warps=12,sm.max_threads=384)"},
	{"32 banks", eesiPD + "+set(shared_memory.banks=32)", eesiT + "+set(shared_memory.banks=32)"},
	{"no tinyCaches", eesiPD + "+set(tinycache.enabled=false)", eesiT + "+set(tinycache.enabled=false)"},
}

// changedSpecs are their specifications.
func changedSpecs() (specs []string) {
	for _, c := range eesiChanged {
		specs = append(specs, c.base, c.lanes)
	}
	return specs
}

func changedNames() (names []string) {
	for _, c := range eesiChanged {
		names = append(names, c.label)
	}
	return names
}

// policyTriggerSpecs are those of all policies under all triggers.
func policyTriggerSpecs() (specs []string) {
	for _, p := range eesiPolicyTriggers {
		specs = append(specs, underTriggers(p.spec)...)
	}
	return specs
}

// asIs is a specification without an overlay that changes nothing of the machine.
func asIs(system string) string {
	if system == eesiT || system == eesiM || system == eesiSBI {
		return system // they switch at every instruction
	}
	return system + "+switch(on=all)"
}

// eesiMeant are the systems for which the text gives means.
var eesiMeant = []configuration{
	{"GPU-SE", eesiSE}, {"GPU-SBI", eesiSBI}, {"EESI", eesiT}, {"EESI, 512 B", eesiHalf}, {"EESI-M", eesiM}, {"GPU-PD/NON", eesiNON}, {"GPU-PD/MEM", eesiMEM},
	{"EESI/NON", "eesi+switch(on=non)"}, {"EESI/MEM", "eesi+switch(on=mem)"}, {"EESI without TinyICaches", eesiNo},
}

// underTriggers are the specifications of a system under every trigger.
func underTriggers(system string) (specs []string) {
	for _, t := range eesiTriggers {
		if t.spec == "all" {
			specs = append(specs, asIs(system))
			continue
		}
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
	small := []string{"small"}
	bases, lanes := underTriggers("gpsim-eesi-base"), underTriggers(eesiT)
	register("eesi", "GPSim thesis, chapter 6: lanes with their own fetch, for GPU programs", func() *Study {
		return &Study{
			Title:         "EESI",
			Workloads:     slices.Concat(eesiWorkloads, eesiThreads()),
			Sizes:         []string{"small", "paper"},
			Calibrated:    true, // section 6.4.1: GPUSimPow and CACTI
			Architectures: []string{eesiPD},
			Figures: []Figure{
				{ID: "6.4", Title: "performance of systems that handle divergence, all switching at every instruction", Unit: "% of GPU-PD", Series: systemNames, Architectures: systemSpecs(), Rows: eesiSystems(speed)},
				{ID: "6.4-time", Title: "execution time of the same", Unit: "% of GPU-PD", Series: systemNames, Architectures: systemSpecs(), Rows: eesiSystems(delay)},
				{ID: "6.5", Title: "on-chip dynamic energy per instruction of the same", Unit: "% of GPU-PD", Series: systemNames, Architectures: systemSpecs(), Rows: eesiSystems(onChip)},
				{ID: "6.5-lanes", Title: "on-chip dynamic energy per instruction, where the pipeline of GPU-PD costs by the lanes that take part", Unit: "% of such a GPU-PD", Series: []string{"EESI"}, Architectures: withPD(eesiT), Rows: eesiEnergyByLanes},
				{ID: "6.6a-PD", Title: "performance of GPU-PD under the triggers of Table 6.5", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(bases...), Rows: eesiRelative(speed, bases...)},
				{ID: "6.6a-EESI", Title: "performance of EESI under the triggers of Table 6.5", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(lanes...), Rows: eesiRelative(speed, lanes...)},
				{ID: "6.6b-PD", Title: "energy per instruction of GPU-PD under the triggers", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(bases...), Rows: eesiRelative(onChip, bases...)},
				{ID: "6.6b-EESI", Title: "energy per instruction of EESI under the triggers", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(lanes...), Rows: eesiRelative(onChip, lanes...)},
				{ID: "6.6-readings", Title: "performance under MEM as it can be read: loads from beyond the SM, every memory instruction, misses of the simulator's filter", Unit: "% of GPU-PD/ALL", Series: []string{"PD mem", "PD every", "PD miss", "EESI mem", "EESI every", "EESI miss"},
					Architectures: withPD(append(readingsOf("gpsim-eesi-base"), readingsOf("eesi")...)...), Sizes: small, Rows: eesiRelative(speed, append(readingsOf("gpsim-eesi-base"), readingsOf("eesi")...)...)},
				{ID: "6.6-over", Title: "performance of EESI that switches at every instruction", Unit: "% of GPU-PD/MEM", Series: []string{"EESI/ALL"}, Architectures: []string{eesiT, eesiMEM}, Rows: eesiAgainst(speed, eesiMEM, eesiT)},
				{ID: "6.6-waiting", Title: "performance of GPU-PD that does not switch, with latencies as they are, and with results of arithmetic and scratchpad in a cycle", Unit: "% of GPU-PD/ALL likewise", Series: []string{"NON", "NON, results in a cycle"},
					Architectures: []string{eesiPD, eesiNON, eesiPD + eesiForwarded, eesiNON + eesiForwarded}, Workloads: eesiWaiting, Sizes: small, Rows: eesiByWaiting},
				{ID: "6.6-lanes", Title: "performance of EESI that does not switch, with one wait after another taken away", Unit: "% of EESI/ALL likewise", Series: titlesOf(eesiWaits),
					Architectures: pairSpecs(eesiWaits, eesiT, eesiStays), Workloads: eesiFour, Sizes: small, Rows: eesiByWait},
				{ID: "6.6-latencies", Title: "performance of systems that do not switch, with the latencies of all memories as they are and with half of them", Unit: "% of MEM likewise", Series: []string{"GPU-PD", "GPU-PD, half", "EESI", "EESI, half"},
					Architectures: latencySpecs(), Workloads: eesiFour, Sizes: small, Rows: eesiByLatency},
				{ID: "6.6-base", Title: "performance of GPU-PD that does not switch, with one wait after another taken away", Unit: "% of GPU-PD/ALL likewise", Series: titlesOf(eesiBaseWaits),
					Architectures: pairSpecs(eesiBaseWaits, eesiPD, eesiNON), Workloads: eesiFour, Sizes: small, Rows: eesiByBaseWait},
				{ID: "6.6-source", Title: "performance of EESI that switches at every instruction, where both systems have the pipeline of the thesis's simulator", Unit: "% of GPU-PD/MEM likewise", Series: sourceNames(),
					Architectures: sourceSpecs(eesiT, eesiMEM), Workloads: eesiFour, Sizes: small, Rows: eesiBySource},
				{ID: "6.6-source-switch", Title: "performance of GPU-PD that switches at every instruction, with the pipeline of the thesis's simulator", Unit: "% of GPU-PD/NON likewise", Series: sourceNames(),
					Architectures: sourceSpecs("", eesiPD, eesiNON), Workloads: eesiFour, Sizes: small, Rows: eesiBySourceSwitch},
				{ID: "warps", Title: "performance of EESI by the warps that an SM holds", Unit: "% of GPU-PD likewise", Series: titlesOf(eesiWarps), Architectures: pairSpecs(eesiWarps, eesiPD, eesiT), Workloads: eesiFour, Sizes: small, Rows: eesiByWarps},
				{ID: "strict", Title: "performance where turns are strict: the next warp, or a lane's next thread, alone issues", Unit: "% of GPU-PD", Series: titlesOf(eesiStrict), Architectures: withPD(specList(eesiStrict)...), Workloads: eesiFour, Sizes: small, Rows: eesiOfFew(eesiFour, speed, eesiStrict)},
				{ID: "triggers", Title: "mean performance of every policy under every trigger, of needle and backprop", Unit: "% of GPU-PD/ALL", Series: triggerNames(), Architectures: withPD(policyTriggerSpecs()...), Workloads: eesiFew, Sizes: small, Rows: eesiPoliciesByTrigger},
				{ID: "means", Title: "means as the text may take them: of performance, of normalised times turned over, and of all time together", Unit: "% of GPU-PD/ALL", Series: []string{"of performance", "of times", "of all"},
					Architectures: withPD(specList(eesiMeant)...), Sizes: small, Rows: eesiMeansOf},
				{ID: "6.4-cpu", Title: "performance of EESI on CPU programs", Unit: "% of MIMD", Series: []string{"EESI", "EESI, of MIMD whose coherence and page walks take no time"}, Architectures: []string{eesiMIMD, eesiT, eesiIdeal}, Workloads: cputraces.Threaded(), Sizes: small, Rows: eesiCPU(speed, eesiMIMD, eesiIdeal)},
				{ID: "6.5-cpu", Title: "energy per instruction of EESI on CPU programs, all arrays priced by CACTI", Unit: "% of MIMD", Series: []string{"EESI"}, Architectures: []string{eesiMIMD, eesiT}, Workloads: cputraces.Threaded(), Sizes: small, Rows: uncalibrated(eesiCPU(onChipOfThreads, eesiMIMD))},
				{ID: "6.5.3", Title: "execution time of EESI-M, and of EESI-T whose warp sets wait for all lanes", Unit: "% of EESI-T", Series: []string{"EESI-M", "EESI-T, all"}, Architectures: []string{eesiT, eesiM, eesiAll}, Rows: eesiPolicies},
				{ID: "6.5.3-cause", Title: "execution time of EESI-M, with one thing changed on both", Unit: "% of EESI-T likewise", Series: titlesOf(eesiFreed), Architectures: pairSpecs(eesiFreed, eesiT, eesiM), Workloads: eesiDrifting, Sizes: small, Rows: eesiByFreedom},
				{ID: "6.5.3-alone", Title: "execution time of EESI-M, where each lane asks for its own lines of instructions", Unit: "% of EESI-T likewise", Series: []string{"EESI-M"}, Architectures: []string{eesiT + eesiOwnLines, eesiM + eesiOwnLines}, Sizes: small, Rows: eesiAgainst(delay, eesiT+eesiOwnLines, eesiM+eesiOwnLines)},
				{ID: "6.7", Title: "without tiny instruction caches", Unit: "% of GPU-PD/ALL", Series: []string{"time", "time without", "energy", "energy without"}, Architectures: withPD(eesiT, eesiNo), Rows: eesiWithout},
				{ID: "6.7-alone", Title: "execution time without tiny instruction caches, where each lane asks the SM's for itself, by requests that it takes in a cycle", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiAlone), Architectures: withPD(specList(eesiAlone)...), Workloads: eesiFour, Sizes: small, Rows: eesiOfFew(eesiFour, delay, eesiAlone)},
				{ID: "6.7-alone-energy", Title: "energy per instruction of the same", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiAlone), Architectures: withPD(specList(eesiAlone)...), Workloads: eesiFour, Sizes: small, Rows: eesiOfFew(eesiFour, onChip, eesiAlone)},
				{ID: "6.8-alone", Title: "sizes of the tiny instruction cache, where each lane asks for itself: execution time", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiAloneSizes), Architectures: withPD(specList(eesiAloneSizes)...), Workloads: eesiFour, Sizes: small, Rows: eesiOfFew(eesiFour, delay, eesiAloneSizes)},
				{ID: "6.8", Title: "sizes of the tiny instruction cache: execution time", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiSizes), Architectures: withPD(specList(eesiSizes)...), Rows: eesiRelative(delay, specList(eesiSizes)...)},
				{ID: "6.8-energy", Title: "sizes of the tiny instruction cache: energy per instruction", Unit: "% of GPU-PD/ALL", Series: titlesOf(eesiSizes), Architectures: withPD(specList(eesiSizes)...), Rows: eesiRelative(onChip, specList(eesiSizes)...)},
				{ID: "assumed", Title: "assumed values of the machine: means of execution time and energy per instruction, of needle, backprop and bfs", Unit: "% of GPU-PD/ALL", Series: []string{"time", "energy"}, Architectures: withPD(specList(eesiAssumed)...), Workloads: eesiVaried, Sizes: small, Rows: eesiMeans(eesiVaried, eesiAssumed, delay, onChip)},
				{ID: "changed", Title: "performance of EESI, with one thing changed on both machines or on the base", Unit: "% of the base likewise", Series: changedNames(), Architectures: changedSpecs(), Workloads: eesiMissing, Sizes: small, Rows: eesiByChange},
				{ID: "6.5.5", Title: "area of a lane's decoder, alone and with its tiny instruction cache", Unit: "%", Series: []string{"of its registers", "of five times its registers, a core"}, Architectures: []string{eesiT, eesiHalf}, Rows: eesiArea},
				{ID: "6.5.5-cache", Title: "area of a lane's tiny instruction cache", Unit: "%", Series: []string{"of its registers", "of five times its registers, a core"}, Architectures: []string{eesiT, eesiHalf}, Rows: eesiCacheArea},
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
