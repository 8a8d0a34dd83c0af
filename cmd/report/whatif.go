// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

// WhatIf is a change of a machine that tells what a program waits for: it is built and
// replayed as any other machine.
type WhatIf struct {
	Name  string // on command lines
	Title string
	// Spec gives the specification of the changed machine.
	Spec func(spec string, m *arch.Machine) string
}

// WhatIfs are those that there are.
func WhatIfs() []WhatIf { return whatIfs }

var whatIfs = []WhatIf{
	overlay("perfect-memory", "perfect memory: no latency, no limit of bandwidth", "perfect-memory"),
	overlay("big-l1", "L1 four times as large", "big-l1"),
	overlay("big-l2", "L2 four times as large", "big-l2"),
	set("mshrs", "four times the L1 misses in flight", func(m *arch.Machine) []string {
		return []string{times("l1.mshrs", m.L1.MSHRs, 4), times("l1.miss_queue", m.L1.MissQueue, 4)}
	}),
	set("dram", "twice the DRAM bandwidth, by its clock", func(m *arch.Machine) []string {
		return []string{fmt.Sprintf("clocks.dram_mhz=%g", 2*m.Clocks.DRAMMHz)}
	}),
	overlay("network", "twice the network bandwidth, by its clock", "double-network-clock"),
	set("registers", "twice the registers", func(m *arch.Machine) []string { return []string{times("sm.registers", m.SM.Registers, 2)} }),
	set("shared", "twice the shared memory", func(m *arch.Machine) []string {
		return []string{fmt.Sprintf("shared_memory.bytes=%dB", 2*m.Shared.Bytes)}
	}),
	set("warps", "twice the warps, threads and thread blocks of an SM", warps),
	set("room", "twice the warps, registers and shared memory of an SM", func(m *arch.Machine) []string {
		return append(warps(m), times("sm.registers", m.SM.Registers, 2), fmt.Sprintf("shared_memory.bytes=%dB", 2*m.Shared.Bytes))
	}),
	set("units", "twice the functional units", func(m *arch.Machine) []string {
		u := &m.SM.Units
		return []string{
			times("sm.units.sp", u.SP, 2), times("sm.units.int", u.Int, 2), times("sm.units.dp", u.DP, 2),
			times("sm.units.sfu", u.SFU, 2),
		}
	}),
	overlay("dual-issue", "two instructions of a warp a cycle, to different units", "dual-issue"),
	overlay("lrr", "loose round-robin warp scheduling", "lrr"),
	overlay("gto", "greedy-then-oldest warp scheduling", "gto"),
	set("sms", "twice the SMs", func(m *arch.Machine) []string { return []string{times("gpu.sms", m.GPU.SMs, 2)} }),
}

func overlay(name, title, overlay string) WhatIf {
	return WhatIf{name, title, func(spec string, _ *arch.Machine) string { return spec + "+" + overlay }}
}

func set(name, title string, settings func(m *arch.Machine) []string) WhatIf {
	return WhatIf{name, title, func(spec string, m *arch.Machine) string { return arch.WithSettings(spec, settings(m)) }}
}

func times(key string, value, factor int) string { return fmt.Sprintf("%s=%d", key, value*factor) }

func warps(m *arch.Machine) []string {
	return []string{times("sm.max_warps", m.SM.MaxWarps, 2), times("sm.max_threads", m.SM.MaxThreads, 2), times("sm.max_blocks", m.SM.MaxBlocks, 2)}
}
