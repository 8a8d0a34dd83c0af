// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/clock"
)

// Validate checks a machine that was built or changed in Go: ranges and
// combinations. Load has done it for machines from files.
func (m *Machine) Validate() error { return m.check(m.Name) }

// check finds values that are missing, out of range or impossible together.
func (m *Machine) check(file string) error {
	c := &checker{m: m, file: file}
	for i := range machineSchema.leaves {
		c.leaf(machineSchema.leaves[i])
	}
	if len(c.list) == 0 {
		c.combinations()
	}
	return c.err()
}

type checker struct {
	problems
	m    *Machine
	file string
}

// origin is the place of a key, or the machine's file when the file does not have it.
func (c *checker) origin(path string) Origin {
	if at, ok := c.m.origins[path]; ok {
		return at
	}
	return Origin{File: c.file}
}

// latest is the place of the key that was written last: of several that do not
// go together the one that a user's file or overlay brought in.
func (c *checker) latest(paths ...string) Origin {
	out := c.origin(paths[0])
	for _, path := range paths[1:] {
		if at := c.origin(path); at.order > out.order {
			out = at
		}
	}
	return out
}

func (c *checker) leaf(l *leaf) {
	if l.path == "name" || l.path == "description" || c.m.unused(l.path) {
		return
	}
	if _, ok := c.m.origins[l.path]; !ok && c.m.origins != nil && l.get(c.m).IsZero() {
		c.add(c.origin(l.path), "missing key %s (%s); set it, or inherit it with a first line such as \"base: gtx480\"", l.path, l.expects())
		return
	}
	if complaint := l.complaint(c.m); complaint != "" {
		c.add(c.origin(l.path), "%s", complaint)
	}
}

// expects says what a leaf may hold.
func (l *leaf) expects() string {
	switch {
	case l.ranged && l.unit == "":
		return l.limit(l.min) + ".." + l.limit(l.max)
	case l.ranged:
		return fmt.Sprintf("%s, %s..%s", l.unit, l.limit(l.min), l.limit(l.max))
	case l.words != nil:
		return "one of " + commaList(l.words)
	}
	return l.kind.String()
}

func (l *leaf) limit(v float64) string {
	if l.unit == "bytes" {
		return formatSize(int64(v))
	}
	return fmt.Sprintf("%.10g", v)
}

// complaint is what is wrong with the value by itself, "" when nothing is.
func (l *leaf) complaint(m *Machine) string {
	v := l.get(m)
	if l.calls {
		if _, err := ParseCall(l.path, v.String()); err != nil {
			return fmt.Sprintf("%s: %v", l.path, err)
		}
		return ""
	}
	if l.words != nil && !slices.Contains(l.words, v.String()) {
		return fmt.Sprintf("%s: unknown word %q%s", l.path, v.String(), didYouMean(v.String(), l.words))
	}
	if !l.ranged {
		return ""
	}
	n := 0.0
	if l.kind == reflect.Float64 {
		n = v.Float()
	} else {
		n = float64(v.Int())
	}
	if !(n >= l.min && n <= l.max) {
		return fmt.Sprintf("%s: %s is out of range, expected %s", l.path, l.format(m), l.expects())
	}
	if l.pow2 && v.Int()&(v.Int()-1) != 0 {
		return fmt.Sprintf("%s: %s is not a power of two", l.path, l.format(m))
	}
	return ""
}

// unused reports whether the value of a key has no meaning on this machine,
// and need not be given.
func (m *Machine) unused(path string) bool {
	if l := machineSchema.byPath[path]; l != nil && l.section != "" {
		return m.Section(l.section) == nil || l.def != "" && l.get(m).IsZero()
	}
	section, key := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		section, key = path[:i], path[i+1:]
	}
	if c := m.cache(section); c != nil {
		return c.unusedKey(section, key)
	}
	if set, ok := strings.CutPrefix(section, "sm.collectors."); ok {
		return m.SM.Collectors.unusedCollector(set)
	}
	switch section {
	case "l2":
		return key == "write_pieces" && !m.L2.WritePieces || key == "atomic_answer_cycles" && m.L2.AtomicAnswerCycles == 0 || key == "far_cycles" && m.L2.FarCycles == 0
	case "gpu":
		return key == "compute_capability" && m.GPU.ComputeCapability == "" || key == "core" && m.GPU.Core == "" || key == "dispatch_cycles" && m.GPU.DispatchCycles <= 1 || key == "launch_gap_us" && m.GPU.LaunchGapMicroseconds == 0 || key == "lowering" && !m.GPU.Lowers() || m.GPU.unusedLowering(key)
	case "gpu.clusters":
		return m.unusedClusters(key)
	case "network":
		return m.Network.unusedKey(key)
	case "sm":
		return m.SM.unusedKey(key)
	case "sm.l0_instructions":
		return m.SM.L0.Bytes == 0 || key == "stream_lines" && m.SM.L0.StreamLines == 0
	case "sm.latencies.logic":
		return m.SM.Latencies.Logic == OptionalLatency{}
	case "sm.latencies.compare":
		return m.SM.Latencies.Compare == OptionalLatency{}
	case "technology":
		return key == "calibration" && m.Technology.Calibration == "" || key == "die" && (m.Technology.Die == "" || m.Technology.Die == "none")
	case "sm.lacks", "sm.tensor_rates":
		return machineSchema.byPath[path].get(m).IsZero()
	case "sm.collectors":
		return m.SM.Collectors.unusedKey(key)
	case "shared_memory":
		return m.Shared.Bytes == 0 && key != "bytes" || key == "wavefront_cycles" && m.Shared.WavefrontCycles <= 1 || key == "bytes_per_cycle" && m.Shared.BytesPerCycle == 0 || key == "block_reserve" && m.Shared.BlockReserve == 0 || key == "packed_reads" && !m.Shared.PackedReads || key == "carveouts" && !m.Shared.Divided()
	case "dram":
		simple := key == "access_ns" || key == "gigabytes_per_second"
		if m.DRAM.Model == "simple" {
			return !simple && key != "model" && key != "queue"
		}
		return simple || m.DRAM.unusedKey(key)
	case "link":
		return key == "gigabytes_per_second" && m.Link.Kind == "on_die"
	}
	return false
}

func (d *DRAM) unusedKey(key string) bool {
	switch key {
	case "kind":
		return d.Kind == "" || d.Kind == "none"
	case "command_bus":
		return d.CommandBus == "" || d.CommandBus == "shared"
	case "tREFI", "tRFC":
		return d.Refresh == "none"
	case "write_high", "write_low":
		return d.Writes == "mixed"
	}
	return false
}

const defaultKernelAlignment = 4096

// KernelBytes is what a kernel of so many bytes takes in memory.
func (s *SM) KernelBytes(code uint64) uint64 {
	n := uint64(s.KernelAlignment)
	if n == 0 {
		n = defaultKernelAlignment
	}
	return (code + n - 1) / n * n
}

func (s *SM) unusedKey(key string) bool {
	switch key {
	case "scheduler_warps":
		return s.Scheduler != "two-level" && s.Scheduler != "warp-limit"
	case "operand_read_cycles", "operand_collectors":
		return s.Collects()
	case "vector_accesses":
		return s.VectorAccesses == ""
	case "coalescing":
		return s.Coalescing == ""
	case "fetches_per_cycle":
		return s.FetchesPerCycle <= 1
	case "warp_switch":
		return s.WarpSwitch == ""
	case "war_hazards":
		return !s.WARHazards
	case "result_buses":
		return s.ResultBuses == 0
	case "write_back_cycles":
		return s.WriteBackCycles == 0
	case "unit_results":
		return s.UnitResults == 0
	case "mma_rate_percent":
		return s.MMARate() == allOfTheRate
	case "kernel_alignment":
		return s.KernelAlignment == 0 || s.KernelAlignment == defaultKernelAlignment
	case "fetch_arrivals":
		return !s.FetchArrivals
	case "float_conversions":
		return s.FloatConversions == ""
	case "integer_products":
		return s.IntegerProducts == ""
	case "code_address":
		return s.CodeAddress == 0
	case "fetch_across_lines":
		return !s.FetchAcrossLines
	case "fetch_past_branches":
		return !s.FetchPastBranches
	}
	return false
}

func (c *Cache) unusedKey(section, key string) bool {
	switch {
	case c.Bytes == 0:
		// A file may leave out an LLC and a texture cache. Without an L1 its miss queue
		// still stands between coalescer and network.
		if section == "l2.slice" {
			return c.unusedThrough(key)
		}
		return section == "llc" || section == "texture_cache" || key != "bytes" && !(section == "l1" && key == "miss_queue")
	case key == "write_hit":
		return c.Write != "through_no_allocate" && c.Write != "local_back_no_allocate"
	case key == "allocate":
		return c.Allocate == ""
	case key == "replacement":
		return c.Replacement == ""
	case key == "unified_bytes":
		return c.UnifiedBytes == 0
	case key == "prefetcher":
		return c.Prefetcher == ""
	case key == "perfect":
		return !c.Perfect
	case key == "kept":
		return !c.Kept
	case key == "address_cycles":
		return c.AddressCycles == 0
	case key == "through":
		return c.Through != "l1"
	case key == "behind":
		return c.Behind != BehindInstructions
	case key == "stream_lines":
		return c.StreamLines == 0
	case key == "launch_bytes":
		return c.LaunchBytes == 0
	case key == "sector_transactions":
		return !c.SectorTransactions
	case key == "bytes_per_cycle":
		return c.BytesPerCycle == 0
	case key == "fill_cycles":
		return c.FillCycles == 0
	case key == "banks":
		return section != "l1"
	}
	return false
}

// unusedThrough is unusedKey for L2 slices without a cache, which pass accesses of
// at most a line on by sectors.
func (c *Cache) unusedThrough(key string) bool {
	switch key {
	case "bytes", "line_bytes", "sector_bytes", "latency_cycles", "mshrs", "miss_queue":
		return false
	}
	return true
}

// cache gives the cache described by a section of the file.
func (m *Machine) cache(section string) *Cache {
	switch section {
	case "l1":
		return &m.L1
	case "constant_cache":
		return &m.Constant
	case "instruction_cache":
		return &m.Instruction
	case "texture_cache":
		return &m.Texture
	case "l2.slice":
		return &m.L2.Slice
	case "llc":
		return &m.LLC
	}
	return nil
}

// cacheSections are the sections that cache knows.
var cacheSections = []string{"l1", "constant_cache", "instruction_cache", "texture_cache", "l2.slice", "llc"}

// combinations finds values that cannot go together.
func (c *checker) combinations() {
	m := c.m
	for _, section := range cacheSections {
		c.cacheShape(section)
	}
	c.cacheModes()
	c.lines()
	c.sm()
	c.l0()
	c.collectors()
	c.subCores()
	c.network()
	c.checkRegisters()
	c.checkCarveouts()
	c.checkPolicyWays()
	if m.L2.PartitionHash == "xor" && m.L2.Partitions&(m.L2.Partitions-1) != 0 {
		c.add(c.latest("l2.partition_hash", "l2.partitions"), "l2.partition_hash: xor needs a power of two of partitions, and l2.partitions is %d; use none", m.L2.Partitions)
	}
	if n := m.L2.Partitions * max(m.L2.SlicesPerPartition, 1); m.L2.PartitionHash == "ipoly" && n&-n > maxPolynomialPlaces {
		c.add(c.latest("l2.partition_hash", "l2.partitions", "l2.slices_per_partition"), "l2.partition_hash: ipoly needs slices whose largest power of two is %d at most, and there are %d; use none", maxPolynomialPlaces, n)
	}
	c.halves()
	c.clocks()
	if m.DRAM.Model == "banked" {
		c.banked()
	}
	c.policyOfCores()
	c.checkSections()
}

// launchBytes checks that what a launch brings has a place.
func (c *checker) launchBytes(section string) {
	k, key := c.m.cache(section), section+".launch_bytes"
	switch {
	case k.LaunchBytes == 0:
	case k != &c.m.Constant && k != &c.m.Instruction:
		c.add(c.origin(key), "%s: a launch brings code (instruction_cache) and parameters (constant_cache) alone; drop it", key)
	case k.Perfect || k.Through == "l1":
		c.add(c.latest(key, section+".perfect", section+".through"), "%s: nothing is missing in a perfect cache, and none is looked up with through: l1; take 0", key)
	case k.LaunchBytes > k.Bytes:
		c.add(c.latest(key, section+".bytes"), "%s: %d bytes do not fit the %d of the cache", key, k.LaunchBytes, k.Bytes)
	}
}

// clocks checks that the domains can be kept exactly in one base unit.
func (c *checker) clocks() {
	names := []string{"core_mhz", "network_mhz", "l2_mhz", "dram_mhz"}
	khz, paths := make([]uint64, len(names)), make([]string, len(names))
	for i, k := range names {
		paths[i] = "clocks." + k
		mhz := machineSchema.byPath[paths[i]].get(c.m).Float()
		khz[i] = uint64(math.Round(mhz * 1000))
		if math.Abs(float64(mhz*1000)-math.Round(mhz*1000)) > 1e-6 {
			c.add(c.origin(paths[i]), "%s: %g MHz is finer than 1 kHz", paths[i], mhz)
			return
		}
	}
	if _, err := clock.Domains(names, khz); err != nil {
		c.add(c.latest(paths...), "%v", err)
	}
}

// maxPolynomialPlaces is ipoly.MaxPlaces.
const maxPolynomialPlaces = 1 << 12

func (c *checker) cacheShape(section string) {
	k := c.m.cache(section)
	if k.Bytes == 0 {
		return
	}
	if k.SectorBytes > k.LineBytes {
		c.add(c.latest(section+".sector_bytes", section+".line_bytes"), "%s.sector_bytes: a sector of %d bytes is larger than the line of %d", section, k.SectorBytes, k.LineBytes)
	}
	if k.MSHRs < k.LineBytes/k.SectorBytes {
		c.add(c.latest(section+".mshrs", section+".line_bytes", section+".sector_bytes"), "%s.mshrs: %d cannot hold the %d sectors of a line", section, k.MSHRs, k.LineBytes/k.SectorBytes)
	}
	way := k.Ways * k.LineBytes
	sets := k.Bytes / way
	if k.Index == "fermi" && sets != 32 && sets != 64 {
		c.add(c.latest(section+".index", section+".bytes", section+".ways", section+".line_bytes"), "%s.index: fermi is a function of 32 or 64 sets, and the cache has %d; use xor", section, sets)
	}
	if k.Index == "ipoly" && sets > maxPolynomialPlaces {
		c.add(c.latest(section+".index", section+".bytes", section+".ways", section+".line_bytes"), "%s.index: ipoly has polynomials for %d sets at most, and the cache has %d; use xor", section, maxPolynomialPlaces, sets)
	}
	switch {
	case k.Index == "modulo" && section != "llc":
		c.add(c.origin(section+".index"), "%s.index: modulo is of the last-level cache alone; use linear", section)
	case k.Index == "modulo" && (k.Bytes%way != 0 || sets == 0):
		c.add(c.latest(section+".bytes", section+".ways", section+".line_bytes"), "%s.bytes: %s in %d ways of %d-byte lines is not a whole number of sets", section, formatSize(int64(k.Bytes)), k.Ways, k.LineBytes)
	case k.Index != "modulo" && (k.Bytes%way != 0 || sets&(sets-1) != 0):
		c.add(c.latest(section+".bytes", section+".ways", section+".line_bytes"), "%s.bytes: %s in %d ways of %d-byte lines is not a power of two of sets", section, formatSize(int64(k.Bytes)), k.Ways, k.LineBytes)
	}
}

func (c *checker) cacheModes() {
	m := c.m
	for _, section := range cacheSections {
		if k := m.cache(section); k.Perfect && (k != &m.Constant && k != &m.Instruction || k.Bytes == 0) {
			c.add(c.origin(section+".perfect"), "%s.perfect: constant_cache and instruction_cache can be perfect, where they have bytes; the overlay perfect-memory lets all accesses hit", section)
		}
		if m.cache(section).BytesPerCycle > 0 && section != "l1" {
			c.add(c.origin(section+".bytes_per_cycle"), "%s.bytes_per_cycle: the L1 alone has several banks; drop it", section)
		}
		if m.cache(section).SectorTransactions && section != "l1" {
			c.add(c.origin(section+".sector_transactions"), "%s.sector_transactions: the transactions of warps are those of the L1 alone; drop it", section)
		}
		if m.cache(section).FillCycles > 0 && (section == "l2.slice" || section == "llc") {
			c.add(c.origin(section+".fill_cycles"), "%s.fill_cycles: what answers an SM takes its time in the network (network.latency_cycles); drop it", section)
		}
		c.launchBytes(section)
		if k := m.cache(section); k.StreamLines > 0 && (k != &m.Instruction || k.Bytes == 0) {
			c.add(c.origin(section+".stream_lines"), "%s.stream_lines: the instruction cache alone has a stream buffer; the others take a prefetcher (l1.prefetcher)", section)
		}
		if k := m.cache(section); k.Behind == BehindInstructions && (k != &m.Constant || k.Bytes > 0 && (m.Instruction.Bytes == 0 || m.Instruction.LineBytes < k.LineBytes || m.Instruction.SectorBytes < k.SectorBytes)) {
			c.add(c.latest(section+".behind", "instruction_cache.bytes", "instruction_cache.line_bytes", "instruction_cache.sector_bytes"), "%s.behind: the constant cache alone can have the instruction cache behind it, which has lines and sectors at least as long", section)
		}
		if k := m.cache(section); k.Kept && k != &m.Constant {
			c.add(c.origin(section+".kept"), "%s.kept: of the caches that kernels find empty, the constant cache alone can be kept", section)
		}
		if k := m.cache(section); k.AddressCycles > 0 && (k != &m.Constant || k.Bytes == 0) {
			c.add(c.latest(section+".address_cycles", section+".bytes"), "%s.address_cycles: a constant cache alone takes the addresses of a warp one after the other; drop it", section)
		}
		if k := m.cache(section); k.Through == "l1" && k != &m.Constant {
			c.add(c.origin(section+".through"), "%s.through: loads of constants and parameters alone can go through the L1; set constant_cache.through", section)
		}
	}
	for _, section := range []string{"constant_cache", "instruction_cache", "texture_cache"} {
		if k := m.cache(section); k.Bytes > 0 && k.Write != "read_only" {
			c.add(c.origin(section+".write"), "%s.write: %s; nothing writes to this cache, use read_only", section, k.Write)
		}
	}
	for _, section := range cacheSections {
		if k := m.cache(section); k.Bytes > 0 && k.Allocate == "on_fill" && k.Write != "read_only" && k.Write != "through_no_allocate" {
			c.add(c.latest(section+".allocate", section+".write"), "%s.allocate: on_fill, but with %s the line that makes room may have to be written back first; use on_miss", section, k.Write)
		}
	}
	for _, section := range []string{"l2.slice", "llc"} {
		k := m.cache(section)
		if sends := k == &m.L2.Slice && k.Write == SendsMisses; k.Bytes > 0 && k.Write != "back_allocate" && !sends {
			c.add(c.origin(section+".write"), "%s.write: %s is not modelled at this level, use back_allocate", section, k.Write)
		} else if sends && k.MissQueue < SendPlaces {
			c.add(c.latest(section+".miss_queue", section+".write"), "%s.miss_queue: %d, but a write that misses takes a place to go on, one to fetch and one for what it replaces; use %d or more", section, k.MissQueue, SendPlaces)
		}
	}
	if m.L1.Bytes > 0 && m.L1.Write == SendsMisses {
		c.add(c.origin("l1.write"), "l1.write: %s is not modelled at this level, use back_allocate", SendsMisses)
	}
	if m.L1.Bytes > 0 && m.L1.Write == "read_only" {
		c.add(c.origin("l1.write"), "l1.write: read_only, but global memory is written through the L1; use through_no_allocate with write_hit evict")
	}
	c.noL2()
}

// noL2 checks a machine whose requests go from the network to the memory
// controllers.
func (c *checker) noL2() {
	m := c.m
	if m.L2.Slice.Bytes > 0 {
		return
	}
	if !m.SM.Lacks.Atomics {
		c.add(c.latest("l2.slice.bytes", "sm.lacks.atomics"), "l2.slice.bytes: 0, but atomic operations are performed in the L2; give it some bytes, or say sm.lacks.atomics: true")
	}
	if m.L2.PreloadCopies {
		c.add(c.latest("l2.slice.bytes", "l2.preload_copies"), "l2.preload_copies: there is no L2 to keep what is copied")
	}
	if k := &m.L2.Slice; k.SectorBytes > k.LineBytes {
		c.add(c.latest("l2.slice.sector_bytes", "l2.slice.line_bytes"), "l2.slice.sector_bytes: a sector of %d bytes is larger than the line of %d", k.SectorBytes, k.LineBytes)
	}
	if m.LLC.Bytes > 0 {
		c.add(c.latest("l2.slice.bytes", "llc.bytes"), "llc.bytes: a last-level cache without an L2 in front is not modelled; make it the L2")
	}
}

// lines checks that a request of one level fits into one line of the next.
func (c *checker) lines() {
	m := c.m
	for _, section := range []string{"l1", "constant_cache", "instruction_cache", "texture_cache"} {
		if k := m.cache(section); k.Bytes > 0 && k.LineBytes > m.L2.Slice.LineBytes {
			c.add(c.latest(section+".line_bytes", "l2.slice.line_bytes"), "%s.line_bytes: a line of %d bytes does not fit into one of the L2 with %d", section, k.LineBytes, m.L2.Slice.LineBytes)
		}
	}
	if m.LLC.Bytes > 0 && m.L2.Slice.LineBytes > m.LLC.LineBytes {
		c.add(c.latest("llc.line_bytes", "l2.slice.line_bytes"), "llc.line_bytes: a line of %d bytes is smaller than that of the L2 with %d", m.LLC.LineBytes, m.L2.Slice.LineBytes)
	}
	if m.LLC.Bytes > 0 && m.L2.Slice.SectorBytes > m.LLC.SectorBytes {
		c.add(c.latest("llc.sector_bytes", "l2.slice.sector_bytes"), "llc.sector_bytes: a sector of %d bytes is smaller than that of the L2 with %d, which it fills", m.LLC.SectorBytes, m.L2.Slice.SectorBytes)
	}
	if m.SM.InstructionBytes > m.Instruction.LineBytes && m.Instruction.Bytes > 0 {
		c.add(c.latest("sm.instruction_bytes", "instruction_cache.line_bytes"), "sm.instruction_bytes: an instruction of %d bytes does not fit into a line of the instruction cache with %d", m.SM.InstructionBytes, m.Instruction.LineBytes)
	}
}

func (c *checker) sm() {
	s := &c.m.SM
	if s.Schedulers > s.MaxWarps {
		c.add(c.latest("sm.schedulers", "sm.max_warps"), "sm.schedulers: %d schedulers for at most %d warps", s.Schedulers, s.MaxWarps)
	}
	if s.MaxThreads < 32*s.MaxWarps {
		c.add(c.latest("sm.max_threads", "sm.max_warps"), "sm.max_threads: %d threads cannot fill %d warps of 32; lower sm.max_warps", s.MaxThreads, s.MaxWarps)
	}
	if s.WarpSwitch != "" && (s.Scheduler == "two-level" || s.Scheduler == "warp-limit") {
		c.add(c.latest("sm.warp_switch", "sm.scheduler"), "sm.warp_switch: with the scheduler %s two rules would choose the warps that may issue; use lrr, gto or oldest", s.Scheduler)
	}
	if s.WarpSwitch == "" && s.Scheduler == "srr" {
		c.add(c.latest("sm.scheduler", "sm.warp_switch"), "sm.scheduler: srr needs sm.warp_switch, which says when the turn goes to the next warp; add the overlay switch in front of srr")
	}
	if s.InstructionBuffer < s.IssuePerScheduler {
		c.add(c.latest("sm.instruction_buffer", "sm.issue_per_scheduler"), "sm.instruction_buffer: %d entries cannot feed %d instructions a cycle", s.InstructionBuffer, s.IssuePerScheduler)
	}
}

// l0 checks the instruction caches of sub-cores.
func (c *checker) l0() {
	m := c.m
	k := &m.SM.L0
	if k.Bytes == 0 {
		return
	}
	const key = "sm.l0_instructions.bytes"
	if m.Instruction.Bytes == 0 {
		c.add(c.latest(key, "instruction_cache.bytes"), "%s: there is no instruction cache behind it; give instruction_cache.bytes a size", key)
		return
	}
	if m.SM.FetchArrivals {
		c.add(c.latest(key, "sm.fetch_arrivals"), "%s: warps that take a line in turn (sm.fetch_arrivals) share one cache; drop one of the two", key)
	}
	set := k.Ways * m.Instruction.LineBytes
	if sets := k.Bytes / set; k.Bytes%set != 0 || sets&(sets-1) != 0 {
		c.add(c.latest(key, "sm.l0_instructions.ways", "instruction_cache.line_bytes"), "%s: %s in %d ways of %d-byte lines is not a power of two of sets", key, formatSize(int64(k.Bytes)), k.Ways, m.Instruction.LineBytes)
	}
}

// halves checks the halves of the L2.
func (c *checker) halves() {
	const key = "l2.far_cycles"
	switch l2 := &c.m.L2; {
	case l2.FarCycles == 0:
	case l2.Partitions%2 != 0:
		c.add(c.latest(key, "l2.partitions"), "%s: %d partitions do not lie in two halves; take an even number, or 0", key, l2.Partitions)
	case l2.Slice.Bytes == 0:
		c.add(c.latest(key, "l2.slice.bytes"), "%s: without a cache (l2.slice.bytes) no half has copies of the other's lines; take 0", key)
	}
}

func (c *checker) banked() {
	m := c.m
	d := &m.DRAM
	if d.BankGroups > d.Banks {
		c.add(c.latest("dram.bank_groups", "dram.banks"), "dram.bank_groups: %d groups of %d banks", d.BankGroups, d.Banks)
	}
	if d.Banks < m.L2.SlicesPerPartition {
		c.add(c.latest("dram.banks", "l2.slices_per_partition"), "dram.banks: %d banks cannot be shared out to %d slices", d.Banks, m.L2.SlicesPerPartition)
	}
	if d.TRC < d.TRAS {
		c.add(c.latest("dram.tRC", "dram.tRAS"), "dram.tRC: %d is less than tRAS of %d", d.TRC, d.TRAS)
	}
	if d.TCCDL < d.TCCD {
		c.add(c.latest("dram.tCCDL", "dram.tCCD"), "dram.tCCDL: %d is less than tCCD of %d", d.TCCDL, d.TCCD)
	}
	if d.RowBytes < m.L2.InterleaveBytes {
		c.add(c.latest("dram.row_bytes", "l2.interleave_bytes"), "dram.row_bytes: a row of %d bytes is smaller than l2.interleave_bytes of %d", d.RowBytes, m.L2.InterleaveBytes)
	}
	c.kind()
	c.refresh()
	if d.Writes == "drain" && (d.WriteHigh > d.Queue || d.WriteLow >= d.WriteHigh) {
		c.add(c.latest("dram.write_high", "dram.write_low", "dram.queue"), "dram.write_high: draining from %d writes to %d does not fit a queue of %d; need write_low < write_high <= queue", d.WriteHigh, d.WriteLow, d.Queue)
	}
	if line := max(m.L2.Slice.LineBytes, m.LLC.LineBytes*min(m.LLC.Bytes, 1)); d.Mapping != "row_bank_column" && line > d.RowBytes {
		c.add(c.latest("dram.mapping", "dram.row_bytes"), "dram.mapping: %s needs rows of at least a line of %d bytes, and dram.row_bytes is %d", d.Mapping, line, d.RowBytes)
	}
	if d.BurstBytes > d.RowBytes {
		c.add(c.latest("dram.burst_bytes", "dram.row_bytes"), "dram.burst_bytes: a burst of %d bytes is larger than the row of %d", d.BurstBytes, d.RowBytes)
	}
}

// refresh checks that a bank is refreshed, and that requests of it come in between: closing
// a row, refresh, and the way to a column. A bank may be closed while the one before it is
// being refreshed, but one after the other.
func (c *checker) refresh() {
	d := &c.m.DRAM
	if d.Refresh == "none" {
		return
	}
	closing := max(d.TRC, d.TRCD+d.TWL+d.BurstCycles+d.TWR) + d.TRP
	longest := closing + d.TRFC
	between := d.TRCD + d.TFAW + d.TRC + d.TWL + d.BurstCycles + max(d.TCDLR, d.TWTRL)
	at := c.latest("dram.tREFI", "dram.tRFC", "dram.refresh", "dram.banks")
	if d.TREFI < longest+between {
		c.add(at, "dram.tREFI: a refresh every %d cycles leaves no time for requests: one takes up to %d, and a row %d more", d.TREFI, longest, between)
	} else if interval := d.TREFI / d.Banks; d.Refresh == "per_bank" && interval < closing {
		c.add(at, "dram.tREFI: a bank is due every %d cycles, and it takes up to %d to close one; take %d cycles or more", interval, closing, closing*d.Banks)
	}
}

// policyOfCores complains about a divergence policy on cores that lack its parts. A chip
// without SMs has none at all, and says so by itself.
func (c *checker) policyOfCores() {
	d, kind := c.m.GPU.Divergence, c.m.GPU.CoreKind()
	core, ok := policyCores[d]
	if !ok || core == kind || kind == NoCores {
		return
	}
	c.add(c.latest("gpu.divergence", "gpu.core"), "gpu.divergence: %s needs cores of the kind %s, and gpu.core is %s; set it to pdom, or take %s", d, core, kind, MachineUnder(d, core))
}
