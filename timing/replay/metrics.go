// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
)

// Declaration declares a metric derived from counters.
type Declaration struct {
	Name    string // snake_case with its unit; column in CSV, key in JSON
	Title   string // in tables
	Unit    string
	Formula string
	compute func(*Section) float64
}

// Metrics holds one value per declaration, NaN where there is nothing to divide by.
type Metrics [metricCount]float64

const metricCount = 31

// Declarations lists the derived metrics in the order of reports.
func Declarations() []Declaration { return declarations[:] }

var declarations = [metricCount]Declaration{
	{"ipc_warp", "IPC (warp)", "warp instructions per core cycle", "issued_warp_instructions / cycles", func(s *Section) float64 {
		return ratio(s.count(counters.IssuedWarp), float64(s.Cycles))
	}},
	{"ipc_thread", "IPC (thread)", "thread instructions per core cycle", "issued_thread_instructions / cycles", func(s *Section) float64 {
		return ratio(s.count(counters.IssuedThread), float64(s.Cycles))
	}},
	{"lanes_active_percent", "active lanes", "%", "issued_thread_instructions / (lanes * issued_warp_instructions); a warp has 32 lanes, or tesla.warp_width", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.IssuedThread), float64(s.lanes)*s.count(counters.IssuedWarp))
	}},
	{"occupancy_percent", "occupancy", "%", "resident_warp_cycles / (active_sm_cycles * sm.max_warps)", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.ResidentWarpCycles), s.count(counters.ActiveSMCycles)*float64(s.maxWarps))
	}},
	{"sm_active_percent", "active SMs", "%", "active_sm_cycles / (cycles * gpu.sms)", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.ActiveSMCycles), float64(s.Cycles)*float64(s.sms))
	}},
	slotShare("issued", counters.CauseIssued), slotShare("idle", counters.CauseIdle), slotShare("fetch", counters.CauseFetch),
	slotShare("barrier", counters.CauseBarrier), slotShare("memory", counters.CauseMemory), slotShare("compute", counters.CauseCompute),
	slotShare("unit", counters.CauseUnit), slotShare("lsu", counters.CauseLSU), slotShare("operand", counters.CauseOperand), slotShare("fence", counters.CauseFence),
	{"l1_read_hit_percent", "L1 read hits", "%", "l1_read_hits / l1_reads", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.L1ReadHit), s.count(counters.L1Read))
	}},
	{"l2_hit_percent", "L2 hits", "%", "(l2_read_hits + l2_write_hits) / (l2_reads + l2_writes)", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.L2ReadHit)+s.count(counters.L2WriteHit), s.count(counters.L2Read)+s.count(counters.L2Write))
	}},
	{"dram_gb_per_s", "DRAM bandwidth", "GB/s", "(dram_read_bytes + dram_write_bytes) / time_ns; of a run whose copies the machine executes, over all of its time", func(s *Section) float64 {
		return ratio(s.count(counters.DRAMReadBytes)+s.count(counters.DRAMWriteBytes), s.counted)
	}},
	{"dram_busy_percent", "DRAM bus busy", "%", "dram_bus_cycles / dram_channel_cycles", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.DRAMBusCycles), s.count(counters.DRAMChannelCycles))
	}},
	{"dram_row_hit_percent", "DRAM row hits", "%", "dram_row_hits / (dram_row_hits + dram_row_misses)", func(s *Section) float64 {
		return 100 * ratio(s.count(counters.DRAMRowHit), s.count(counters.DRAMRowHit)+s.count(counters.DRAMRowMiss))
	}},
	{"load_latency_cycles_mean", "load latency", "core cycles", "load_latency_cycles / load_requests", func(s *Section) float64 {
		return ratio(s.count(counters.LoadLatencySum), s.count(counters.LoadRequests))
	}},
	foundIn("l1", func(f Found) float64 { return f.L1 }, "(l1_read_hits + l1_read_merges) / l1_reads"),
	foundIn("l2", func(f Found) float64 { return f.L2 }, "(1 - found in L1) * (l2_reads - l2_read_misses) / l2_reads"),
	foundIn("llc", func(f Found) float64 { return f.LLC }, "(1 - found in L1) * (l2_read_misses / l2_reads) * (llc_reads - llc_read_misses) / llc_reads"),
	foundIn("dram", func(f Found) float64 { return f.DRAM }, "what is found in no cache"),
	{"miss_latency_cycles_mean", "latency of L1 misses", "core cycles", "sum of the five parts below, each a mean over requests or over replies, in core cycles", func(s *Section) float64 {
		return s.missLatency().Total()
	}},
	missPart("sm_queue", "queues of SMs", func(l MissLatency) float64 { return l.SMQueue }, "request_queue_cycles and request_injection_cycles"),
	missPart("network", "networks", func(l MissLatency) float64 { return l.Network }, "request_traversal_cycles and reply_traversal_cycles"),
	missPart("ejection", "ejection queues", func(l MissLatency) float64 { return l.Ejection }, "request_ejection_cycles and reply_ejection_cycles"),
	missPart("service", "L2 and below", func(l MissLatency) float64 { return l.Service }, "l2_service_cycles"),
	missPart("l2_queue", "queues of L2 replies", func(l MissLatency) float64 { return l.L2Queue }, "reply_queue_cycles and reply_injection_cycles"),
}

// slotShare declares the share of issue slots with a cause.
func slotShare(name string, c counters.Cause) Declaration {
	title := "slots: " + name
	return Declaration{"slots_" + name + "_percent", title, "%", counters.Declared(c.Counter()).Name + " / issue_slots", func(s *Section) float64 {
		return 100 * ratio(s.count(c.Counter()), s.count(counters.IssueSlots))
	}}
}

// firstSlotMetric is the place of the first of the counters.CauseCount shares of
// issue slots.
const firstSlotMetric = 5

func measure(s *Section) Metrics {
	var m Metrics
	for i := range declarations {
		m[i] = declarations[i].compute(s)
	}
	return m
}

func (s *Section) count(id counters.ID) float64 { return float64(s.Counters[id]) }

// ratio is a/b, NaN for b zero.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
