// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// refusal loads a machine that changes keys of mesh56 and gives the complaint.
func refusal(t *testing.T, base, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(path, []byte("base: "+base+"\nname: m\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	if err == nil {
		t.Fatalf("%s is accepted", text)
	}
	return strings.TrimPrefix(err.Error(), filepath.Dir(path)+"/")
}

func TestNetworksThatDoNotFitAreRefusedWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ base, text, want string }{
		{"mesh56", "gpu:\n  sms: 55\n", "m.yaml:4:8: network.placement: has 56 nodes for SMs and 8 for L2 slices, and the machine has 55 and 8"},
		{"mesh56", "l2:\n  slices_per_partition: 2\n", "m.yaml:4:25: network.placement: has 56 nodes for SMs and 8 for L2 slices, and the machine has 56 and 16"},
		{"mesh56", "network:\n  placement: |\n    CCM\n    CC\n", "row 1 has 2 nodes, the first one 3"},
		{"mesh56", "network:\n  placement: CXM\n", "m.yaml:4:14: network.placement: row 0, column 1: \"X\" is not a node; write C for an SM"},
		{"mesh56", "network:\n  vc_flits: 0\n", "m.yaml:4:13: network.vc_flits: 0 is out of range, expected flits, 1..128"},
		{"mesh56", "network:\n  virtual_channels: 0\n", "m.yaml:4:21: network.virtual_channels: 0 is out of range, expected channels, 1..12"},
		{"mesh56", "network:\n  input_queue: 0\n", "m.yaml:4:16: network.input_queue: 0 is out of range, expected packets, 1..65536"},
		{"mesh56+crossbar", "network:\n  output_queue: 0\n", "m.yaml:4:17: network.output_queue: 0 is out of range, expected packets, 1..65536"},
		{"mesh56+crossbar", "network:\n  latency_cycles: 0\n", "m.yaml:4:19: network.latency_cycles: 0 is out of range"},
		{"mesh56", "network:\n  virtual_channels: 13\n", "network.virtual_channels: 13 is out of range"},
		{"mesh56", "network:\n  routing: zigzag\n", "m.yaml:4:12: network.routing: unknown word \"zigzag\""},
		{"mesh56", "network:\n  topology: torus\n", "m.yaml:4:13: network.topology: unknown word \"torus\""},
		{"mesh56+shared-mesh", "network:\n  virtual_channels: 1\n", "m.yaml:4:21: network.sharing: requests and replies that share a mesh need a virtual channel each"},
		{"gtx480+mesh", "l2:\n  partitions: 256\n  slices_per_partition: 16\n", "network.placement: 16 SMs and 4096 L2 slices need more than 4096 nodes"},
		{"mesh56+butterfly", "network:\n  stages: 2\n", "m.yaml:4:11: network.stages: a 4-ary 2-fly has 16 terminals, and 56 SMs and 8 L2 slices need one each"},
		{"mesh56+butterfly", "network:\n  radix: 16\n  virtual_channels: 5\n", "network.virtual_channels: routers of 16 ports with 5 virtual channels each have 80 in all"},
		{"gtx480", "network:\n  topology: mesh\n", "missing key network.virtual_channels (channels, 1..12)"},
		{"mesh56+butterfly", "network:\n  radix: 16\n  virtual_channels: 1\n  stages: 10\n", "a 16-ary 10-fly has more than 4096 terminals"},
		{"mesh56", "network:\n  placement: " + strings.Repeat(strings.Repeat("C", 65)+" ", 64) + "\n", "more than 4096 nodes"},
	} {
		if got := refusal(t, c.base, c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s%s\nis refused with\n%s\nwant\n%s", c.base, c.text, got, c.want)
		}
	}
}

func TestOverlaysOfNetworksNeedTheirTopology(t *testing.T) {
	for _, spec := range []string{"gtx480+shared-mesh", "gtx480+xy-routing", "mesh56+butterfly+shared-mesh"} {
		if _, err := Load(spec); err == nil || !strings.Contains(err.Error(), "put mesh before it") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestPlacementHoldsEveryHopCountOfThePaper checks what sections 3.1 and 3.2 of
// the near-data computing paper say of Fig. 3: cores and LLCs are numbered row by
// row, routing is YX.
func TestPlacementHoldsEveryHopCountOfThePaper(t *testing.T) {
	m, err := Load("mesh56")
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.MeshPlacement()
	if err != nil {
		t.Fatal(err)
	}
	hops := func(a, b int) int {
		return max(a/8-b/8, b/8-a/8) + max(a%8-b%8, b%8-a%8)
	}
	path := func(a, b int) (nodes []int) { // along the column first
		for y := a / 8; y != b/8; y += sign(b/8 - a/8) {
			nodes = append(nodes, y*8+a%8)
		}
		for x := a % 8; x != b%8; x += sign(b%8 - a%8) {
			nodes = append(nodes, b/8*8+x)
		}
		return append(nodes, b)
	}
	core15, core36 := p.SMs[15], p.SMs[36]
	for llc, want := range map[int]int{5: 8, 6: 5, 7: 8} {
		if got := hops(core15, p.Slices[llc]); got != want {
			t.Errorf("core 15 to LLC %d: %d hops, the paper says %d", llc, got, want)
		}
	}
	for llc, want := range map[int]int{5: 5, 6: 2, 7: 5} {
		if got := hops(core36, p.Slices[llc]); got != want {
			t.Errorf("core 36 to LLC %d: %d hops, the paper says %d", llc, got, want)
		}
	}
	if hops(core15, core36) != 3 || !slices.Contains(path(core15, p.Slices[5]), core36) || !slices.Contains(path(core15, p.Slices[6]), core36) {
		t.Error("core 36 is not the earliest node on both paths of scenario 2")
	}
	for _, n := range path(core15, p.Slices[0])[1:] {
		if slices.Contains(path(core15, p.Slices[6])[1:], n) {
			t.Errorf("the paths from core 15 to LLCs 0 and 6 share node %d", n)
		}
	}
	for i, n := range p.Slices {
		if n/8 != i {
			t.Errorf("LLC %d is in row %d", i, n/8)
		}
	}
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

func TestDerivedPlacementsHoldEveryEndOnce(t *testing.T) {
	for _, sms := range []int{1, 2, 3, 15, 16, 56, 80, 300, 1024} {
		for _, partitions := range []int{1, 2, 6, 8, 12, 64, 256} {
			m := &Machine{GPU: GPU{SMs: sms}, L2: L2{Partitions: partitions, SlicesPerPartition: 1}, Network: Network{Placement: spread, Radix: 2, Stages: 10}}
			p, err := m.MeshPlacement()
			if err != nil {
				t.Fatal(err)
			}
			distinct(t, m, p)
			if free := p.Rows*p.Columns - sms - partitions; free < 0 || free >= max(p.Columns, p.Rows) {
				t.Errorf("%d SMs and %d slices on %d x %d nodes", sms, partitions, p.Rows, p.Columns)
			}
			if p, err := m.ButterflyPlacement(); err == nil {
				distinct(t, m, p)
			} else if sms+partitions <= 1024 {
				t.Error(err)
			}
		}
	}
}

func distinct(t *testing.T, m *Machine, p Placement) {
	t.Helper()
	seen := map[int]bool{}
	for _, n := range append(slices.Clone(p.SMs), p.Slices...) {
		if n < 0 || n >= p.Rows*p.Columns || seen[n] {
			t.Fatalf("%d SMs, %d slices: node %d is taken twice or outside", m.GPU.SMs, m.slices(), n)
		}
		seen[n] = true
	}
	if len(p.SMs) != m.GPU.SMs || len(p.Slices) != m.slices() {
		t.Fatalf("%d SMs, %d slices: %d and %d have a node", m.GPU.SMs, m.slices(), len(p.SMs), len(p.Slices))
	}
}

// TestDigestsKnowOnlyTheKeysOfTheirTopology: the keys of routers are no part of a
// machine without them, so that results of crossbars keep their digest.
func TestDigestsKnowOnlyTheKeysOfTheirTopology(t *testing.T) {
	crossbar, err := Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	with := *crossbar
	with.Network.VirtualChannels, with.Network.Routing, with.Network.Placement, with.Network.Stages = 5, "xy", spread, 3
	if with.Digest() != crossbar.Digest() {
		t.Error("keys of routers change the digest of a crossbar")
	}
	plain, err := Load("mesh56")
	if err != nil {
		t.Fatal(err)
	}
	other := *plain
	if other.Network.Placement = strings.ReplaceAll(plain.Network.Placement, "\n", " "); other.Digest() != plain.Digest() {
		t.Error("line breaks in a placement change the digest")
	}
	if other.Network.Routing = "xy"; other.Digest() == plain.Digest() {
		t.Error("routing does not change the digest")
	}
}

// TestMesh56HoldsTable2 compares with what Table 2 of the near-data computing paper
// prints, copied by hand; the line of the L2 is printed as 128 KB.
func TestMesh56HoldsTable2(t *testing.T) {
	for _, spec := range []string{"mesh56", "mesh56-alt"} {
		m, err := Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"GPU features", []any{m.Clocks.CoreMHz, m.GPU.SMs, m.SM.Scheduler}, []any{1400.0, 56, "gto"}},
			{"resources", []any{m.Shared.Bytes, 4 * m.SM.Registers, m.SM.MaxThreads, m.SM.MaxWarps}, []any{48 << 10, 64 << 10, 1536, 48}},
			{"private caches", []any{m.L1.Bytes, m.Texture.Bytes, m.Constant.Bytes, m.Instruction.Bytes}, []any{16 << 10, 12 << 10, 8 << 10, 4 << 10}},
			{"lines", []any{m.L1.LineBytes, m.Texture.LineBytes, m.Constant.LineBytes, m.Instruction.LineBytes}, []any{128, 128, 128, 128}},
			{"L2", []any{m.L2.Slice.Bytes, m.L2.Slice.Ways, m.L2.Slice.LineBytes, m.L2.SlicesPerPartition}, []any{512 << 10, 16, 128, 1}},
			{"memory", []any{m.L2.Partitions, m.DRAM.Scheduler, m.DRAM.Banks, m.Clocks.DRAMMHz, m.L2.InterleaveBytes}, []any{8, "frfcfs", 8, 1000.0, 128}},
			{"GDDR5", []any{m.DRAM.TCL, m.DRAM.TRP, m.DRAM.TRC, m.DRAM.TRAS, m.DRAM.TCCD, m.DRAM.TRCD, m.DRAM.TRRD, m.DRAM.TCDLR, m.DRAM.TWR}, []any{11, 11, 39, 28, 2, 11, 5, 5, 12}},
			{"interconnect", []any{m.Network.Topology, m.Clocks.NetworkMHz, m.Network.Routing, m.Network.VirtualChannels, m.Network.FlitBytes, m.Network.VCFlits}, []any{"mesh", 1400.0, "yx", 8, 32, 8}},
		} {
			if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
				t.Errorf("%s: %s: %v, Table 2 has %v", spec, c.what, c.got, c.want)
			}
		}
		p, err := m.MeshPlacement()
		if err != nil || p.Rows != 8 || p.Columns != 8 {
			t.Errorf("%s: %d x %d nodes, %v", spec, p.Rows, p.Columns, err)
		}
	}
}
