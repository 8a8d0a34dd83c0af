// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace/tracetest"
)

func mustLoad(t *testing.T, spec string) *Machine {
	t.Helper()
	m, err := Load(spec)
	if err != nil {
		t.Fatalf("Load(%q):\n%v", spec, err)
	}
	return m
}

func TestBuiltInMachinesLoad(t *testing.T) {
	entries, err := List()
	if err != nil {
		t.Fatal(err)
	}
	var machines []string
	for _, e := range entries {
		if e.Description == "" {
			t.Errorf("%s has no description", e.Name)
		}
		if !e.Overlay {
			machines = append(machines, e.Name)
		}
	}
	if want := []string{"a100", "gpsim-soc", "gpsim-tiny", "gtx480", "gtx480-15", "gtx480-321", "gtx480-ref", "h100", "mesh56", "mesh56-alt", "qv100-ref", "rtx2080ti", "rtx3090", "tesla-c870", "v100"}; !cmp.Equal(machines, want) {
		t.Errorf("machines %v, want %v", machines, want)
	}
}

func TestGTX480HoldsTheTableOfTheBuddyPaper(t *testing.T) {
	m := mustLoad(t, "gtx480")
	got := fmt.Sprintln(m.GPU.SMs, m.SM.MaxThreads, m.SM.MaxWarps, m.SM.MaxBlocks, m.Clocks.CoreMHz, m.Clocks.DRAMMHz, m.Clocks.NetworkMHz,
		m.Network.FlitBytes, m.SM.Registers, m.Shared.Bytes, m.Constant.Bytes, m.L1.Bytes, m.L1.Ways, m.L1.LineBytes, m.Instruction.Bytes,
		m.L2.Slice.Bytes, m.L2.Slice.Ways, m.SM.Scheduler, m.DRAM.Scheduler, m.L2.Partitions)
	want := "16 1536 48 8 700 924 1400 32 32768 49152 8192 32768 4 128 4096 65536 16 gto frfcfs 6\n"
	if got != want {
		t.Errorf("gtx480\n got %s\nwant %s", got, want)
	}
}

// The platform of the Buddy SM paper keeps the values of Table III, and has the simulator's own caches
// where they are asked for.
func TestGTX480321HoldsTheTableOfTheBuddyPaper(t *testing.T) {
	of := func(spec string) string {
		m := mustLoad(t, spec)
		return fmt.Sprintln(m.GPU.SMs, m.SM.MaxThreads, m.SM.MaxBlocks, m.Clocks.NetworkMHz, m.L1.Bytes, m.L1.Ways, m.L1.Index, m.Instruction.Bytes, m.L2.Partitions, m.L2.SlicesPerPartition, m.L2.Slice.Bytes, m.L2.Slice.Ways, m.SM.Scheduler)
	}
	if got, want := of("gtx480-321"), "16 1536 8 1400 32768 4 linear 4096 6 1 65536 16 gto\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got, want := of("gtx480-321+gpgpusim-caches"), "16 1536 8 1400 16384 4 linear 2048 6 1 131072 16 gto\n"; got != want {
		t.Errorf("with the simulator's caches: got %s\nwant %s", got, want)
	}
}

// What the tables of two papers leave open is GPGPU-Sim 3.2.2's, the simulator of both.
func TestOpenValuesOfTwoPapersAreThoseOfTheirSimulator(t *testing.T) {
	for spec, want := range map[string]string{
		"gtx480-15": "3 1 1 linear 32 12288 24 2048 6 9 12 back_fetch 32 13 8 16 none 0\n",
		"mesh56":    "3 1 1 linear 32 12288 3 4096 1 9 46 back_fetch 32 14 8 16 none 0\n",
	} {
		m := mustLoad(t, spec)
		latency := m.Network.LatencyCycles
		if m.Network.Topology == "mesh" {
			latency = m.Network.LinkCycles
		}
		got := fmt.Sprintln(m.Shared.LatencyCycles, m.L1.LatencyCycles, m.Constant.LatencyCycles, m.L1.Index, m.L1.MSHRs, m.Texture.Bytes, m.Texture.Ways, m.Instruction.Bytes,
			latency, m.Network.InputQueue, m.Network.OutputQueue, m.L2.Slice.Write, m.L2.Slice.MSHRs, m.L2.Slice.MissQueue, m.L2.InputQueue, m.DRAM.Queue, m.DRAM.Refresh, m.DRAM.TFAW)
		if got != want {
			t.Errorf("%s: got %swant %s", spec, got, want)
		}
	}
}

func TestGTX480RefHoldsTheConfigurationOfTheReference(t *testing.T) {
	m := mustLoad(t, "gtx480-ref")
	got := fmt.Sprintln(m.GPU.SMs, m.Clocks.NetworkMHz, m.Network.FlitBytes, m.L1.Bytes, m.L1.Sets(), m.L1.Index,
		m.L2.Slice.Sets(), m.L2.Slice.Ways, m.L2.Slice.SectorBytes, m.L2.PreloadCopies, m.DRAM.BurstBytes)
	if want := "15 700 40 16384 32 fermi 64 8 32 true 64\n"; got != want {
		t.Errorf("gtx480-ref\n got %s\nwant %s", got, want)
	}
}

func TestEveryNumberOfABuiltInFileNamesItsSource(t *testing.T) {
	for _, kind := range []string{"machines", "overlays"} {
		for _, name := range builtinNames(kind) {
			doc, err := open(kind, name, ".")
			if err != nil {
				t.Fatal(err)
			}
			p := &problems{}
			m := &Machine{origins: map[string]Origin{}}
			for _, f := range doc.fields(doc.root, p) {
				switch {
				case kind == "machines" && f.key != "base":
					m.setField(doc, "", f, p)
				case f.key == "set":
					o, err := parseOverlay(doc)
					if err != nil {
						t.Fatal(err)
					}
					for _, s := range o.set {
						m.setField(doc, "", s, p)
					}
				}
			}
			if err := p.err(); err != nil {
				t.Fatal(err)
			}
			for path, at := range m.origins {
				if machineSchema.byPath[path].ranged && len(at.Source) < 8 {
					t.Errorf("%s.yaml:%d: %s has no source in a trailing comment", name, at.Line, path)
				}
			}
		}
	}
}

func TestEveryOverlayChangesTheMachinesThatItFits(t *testing.T) {
	overlays := builtinNames("overlays")
	for _, o := range tracetest.Draw(t, overlays, len(overlays)/4) {
		fits := 0
		for _, name := range builtinNames("machines") {
			base := mustLoad(t, name)
			m, err := Load(name + "+" + o)
			if err != nil {
				var refused *Error // with the place of the value that is impossible on this machine
				if !errors.As(err, &refused) || refused.Problems[0].Line == 0 {
					t.Errorf("%s+%s: %v", name, o, err)
				}
				continue
			}
			if m.Digest() != base.Digest() {
				fits++
			}
		}
		if fits == 0 {
			t.Errorf("overlay %s changes no built-in machine", o)
		}
	}
}

func TestOverlaySetsAndScales(t *testing.T) {
	m := mustLoad(t, "gtx480+lrr+big-l1+half-dram")
	if m.SM.Scheduler != "lrr" || m.L1.Bytes != 128<<10 || m.L1.Ways != 16 || m.Clocks.DRAMMHz != 462 {
		t.Errorf("scheduler %s, L1 %d bytes in %d ways, DRAM %g MHz", m.SM.Scheduler, m.L1.Bytes, m.L1.Ways, m.Clocks.DRAMMHz)
	}
	if m.Name != "gtx480+lrr+big-l1+half-dram" {
		t.Errorf("name %q", m.Name)
	}
	var b bytes.Buffer
	if err := m.Show(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"overrides gtx480:", "128KiB", "462 MHz", "Buddy SM Table III: memory clock"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("Show lacks %q:\n%s", want, b.String())
		}
	}
}

func TestOverlayThatMakesNoSenseIsRefusedWithItsReason(t *testing.T) {
	for spec, want := range map[string]string{
		"gtx480+l1-off+l1-off":               "it has no L1 data cache to switch off (l1.bytes is 0B)",
		"gpsim-soc+half-dram":                "see half-bandwidth",
		"gtx480+llc-off":                     "no last-level cache",
		"gtx480+dual-issue+dual-issue":       "already issues more than one",
		"gtx480+big-l1+big-l1+big-l1+big-l1": "l1.ways: 1024 is out of range",
		"gtx480+big-l1+l1-off+big-l1":        "no L1 data cache to enlarge",
		"gtx480+ltr":                         "did you mean lrr?",
		"gtx481":                             "did you mean gtx480?",
		"lrr":                                "no built-in machine \"lrr\": it is an overlay",
		"big-l1(factor=2)":                   "it is an overlay, which changes a machine",
		"gtx480+v100":                        "no built-in overlay \"v100\": it is a machine",
		"":                                   "empty machine name",
		"gtx480+":                            "empty overlay name",
		"./there-is-none.yaml":               "there-is-none.yaml",
		"gtx480+./there-is-none-here.yaml":   "there-is-none-here.yaml",
	} {
		_, err := Load(spec)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q): %v; want it to say %q", spec, err, want)
		}
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFileInheritsFromABaseBesideIt(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "base: gtx480+lrr\nname: a\nl1:\n  bytes: 16KiB # measured\n")
	b := write(t, dir, "b.yaml", "base: ./a.yaml\nname: b\nl1:\n  ways: 2\n")
	m := mustLoad(t, b)
	if m.Name != "b" || m.SM.Scheduler != "lrr" || m.L1.Bytes != 16<<10 || m.L1.Ways != 2 {
		t.Errorf("%s: %s, L1 %d bytes in %d ways", m.Name, m.SM.Scheduler, m.L1.Bytes, m.L1.Ways)
	}
	at := m.Sources()["l1.bytes"]
	if at.Line != 4 || at.Source != "measured" || len(at.Overrides) != 1 {
		t.Errorf("origin of l1.bytes: %+v", at)
	}
	if got := mustLoad(t, b+"+gto").Name; got != "b+gto" {
		t.Errorf("name %q", got)
	}
}

func TestAllMistakesOfAFileAreReportedWithTheirPlaces(t *testing.T) {
	path := write(t, t.TempDir(), "bad.yaml", `base: gtx480
name: bad
l1:
  byts: 16KiB
  ways: four
gpu:
  sms: 0
sm: 7
network:
  flit_bytes: 1.5
  topology: crosbar
dram:
  tRC: 12
shared_memory:
  bytes: 48KB
`)
	for spec, want := range map[string][]string{
		path: {
			path + `:4:3: unknown key "byts" in l1; did you mean bytes?`,
			path + `:5:9: l1.ways: expected a whole number of ways, found "four"`,
			path + `:8:1: sm is a section with the keys`,
			path + `:10:15: network.flit_bytes: expected a size such as 48KiB, found "1.5"`,
			path + `:15:10: shared_memory.bytes: "48KB" is not a size`,
		},
	} {
		_, err := Load(spec)
		var all *Error
		if !errors.As(err, &all) {
			t.Fatalf("Load: %v", err)
		}
		if len(all.Problems) != len(want) {
			t.Errorf("%d problems, want %d:\n%v", len(all.Problems), len(want), err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("missing %q in:\n%v", w, err)
			}
		}
	}
}

// A bank may be due while the one before it is still being refreshed: 60 ns every 119 ns and
// the time to close a row were refused.
func TestBanksMayBeRefreshedAtTheSameTime(t *testing.T) {
	for _, text := range []string{"base: gtx480\nname: m\ndram: {refresh: per_bank, tRFC: 400}\n", "base: rtx2080ti\nname: m\ndram: {tRFC: 1000}\n"} {
		if _, err := Load(write(t, t.TempDir(), "m.yaml", text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestImpossibleValuesAndCombinationsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"gpu: {sms: 0}":                "gpu.sms: 0 is out of range, expected SMs, 1..1024",
		"l1: {ways: 3}":                "is not a power of two of sets",
		"l1: {line_bytes: 96}":         "96B is not a power of two",
		"l1: {line_bytes: 64}":         "a sector of 128 bytes is larger than the line of 64",
		"network: {topology: crosbar}": "did you mean crossbar?",
		"dram: {tRC: 12}":              "dram.tRC: 12 is less than tRAS of 28",
		"dram: {model: simple}":        "missing key dram.access_ns",
		"l2: {partition_hash: xor}":    "needs a power of two of partitions",
		"l2: {interleave_bytes: 64}":   "64B is out of range",
		"sm: {lacks: {atomics: true}}\nl2: {preload_copies: true, slice: {bytes: 0}}":              "no L2 to keep what is copied",
		"sm: {lacks: {atomics: true}}\nl2: {slice: {bytes: 0, line_bytes: 64, sector_bytes: 128}}": "a sector of 128 bytes is larger than the line of 64",
		"sm: {lacks: {atomics: maybe}}":                                       "expected true or false",
		"l2: {slice: {bytes: 0}}":                                             "atomic operations are performed in the L2",
		"llc: {bytes: 1MiB}":                                                  "missing key llc.ways",
		"l1: {write: back_fetch}":                                             "back_fetch is not modelled at this level",
		"l2: {slice: {write: back_fetch, miss_queue: 2}}":                     "l2.slice.miss_queue: 2, but a write that misses takes a place to go on",
		"l2: {slice: {write: through_allocate}}":                              "through_allocate is not modelled at this level",
		"clocks: {core_mhz: 700.001, network_mhz: 1399.999, l2_mhz: 699.997}": "no manageable common multiple",
		"clocks: {core_mhz: 700.0001}":                                        "finer than 1 kHz",
		"constant_cache: {write: back_allocate}":                              "use read_only",
		"instruction_cache: {line_bytes: 128.5}":                              "expected a size",
		"sm: {max_warps: 64}":                                                 "cannot fill 64 warps",
		"base: gtx480":                                                        "already defined",
		"l1: {index: fermi, ways: 16}":                                        "fermi is a function of 32 or 64 sets, and the cache has 16",
		"sm: {scheduler: two-level}":                                          "missing key sm.scheduler_warps (warps, 1..64)",
		"gpu: *x":                                                             "YAML",
		"gpu: {sms: [1]}":                                                     "found a list",
		"gpu: {sms: }":                                                        "found nothing",
		"shared_memory: {bytes: -1}":                                          "is out of range",
		"shared_memory: {bytes: 99999999999999B}":                             "is out of range",
		"dram: {bank_groups: 32, banks: 16}":                                  "32 is out of range",
		"clocks: {core_mhz: .nan}":                                            "clocks.core_mhz",
		"dram: {tREFI: 150}":                                                  "a refresh every 150 cycles leaves no time for requests",
		"dram: {refresh: per_bank, tRFC: 3500}":                               "a refresh every 3604 cycles leaves no time for requests",
		"dram: {refresh: per_bank, tREFI: 800}":                               "a bank is due every 50 cycles, and it takes up to 52 to close one; take 832 cycles or more",
		"dram: {writes: drain, write_high: 80}":                               "does not fit a queue of 64",
		"dram: {writes: drain, write_low: 48}":                                "need write_low < write_high",
		"dram: {mapping: row_colum_bank}":                                     "did you mean row_column_bank?",
		"gpu: {concurrent_kernels: 0}":                                        "0 is out of range",
		"link: {copy_engines: 0}":                                             "0 is out of range",
	} {
		path := write(t, t.TempDir(), "m.yaml", "base: gtx480\nname: m\n"+text+"\n")
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v\nwant it to name the file and say %q", text, err, want)
		}
	}
}

func TestABaseThatIsItselfIsRefused(t *testing.T) {
	path := write(t, t.TempDir(), "loop.yaml", "base: ./loop.yaml\nname: loop\n")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "is it its own base?") {
		t.Errorf("%v", err)
	}
}

func TestFileWithoutBaseMustSayEverything(t *testing.T) {
	path := write(t, t.TempDir(), "m.yaml", "name: m\n")
	_, err := Load(path)
	var all *Error
	if !errors.As(err, &all) || len(all.Problems) < 50 || !strings.Contains(err.Error(), "missing key gpu.sms (SMs, 1..1024)") {
		t.Errorf("%v", err)
	}
}

func TestDigestIgnoresNameOrderAndCommentsOnly(t *testing.T) {
	dir := t.TempDir()
	a := mustLoad(t, write(t, dir, "a.yaml", "base: gtx480\nname: a\nl1: {bytes: 16KiB, ways: 2}\n"))
	b := mustLoad(t, write(t, dir, "b.yaml", "base: gtx480\nname: b # other\nl1:\n  ways: 2\n  # same\n  bytes: 16384\n"))
	c := mustLoad(t, write(t, dir, "c.yaml", "base: gtx480\nname: a\nl1: {bytes: 16KiB, ways: 1}\n"))
	if a.Digest() != b.Digest() {
		t.Error("the same content has two digests")
	}
	if a.Digest() == c.Digest() {
		t.Error("different ways have one digest")
	}
	if len(a.Digest()) != 64 {
		t.Errorf("digest %q", a.Digest())
	}
}

func TestJSONHasTheKeysOfTheFile(t *testing.T) {
	text, err := json.Marshal(mustLoad(t, "gtx480"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Name string `json:"name"`
		L2   struct {
			Slice struct {
				Bytes int `json:"bytes"`
			} `json:"slice"`
		} `json:"l2"`
		SM struct {
			Latencies map[string]struct{ Cycles, Interval int } `json:"latencies"`
		} `json:"sm"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "gtx480" || got.L2.Slice.Bytes != 65536 || got.SM.Latencies["f32_fma"].Cycles != 5 {
		t.Errorf("%+v", got)
	}
}

func TestCheckTakesMachinesAndOverlays(t *testing.T) {
	dir := t.TempDir()
	good := write(t, dir, "o.yaml", "overlay: o\ndescription: d\nset: {l1: {ways: 8}}\n")
	if err := Check(good); err != nil {
		t.Error(err)
	}
	if m := mustLoad(t, "gtx480+"+good); m.L1.Ways != 8 {
		t.Errorf("ways %d", m.L1.Ways)
	}
	for text, want := range map[string]string{
		"overlay: o\nset: {l1: {ways: 999}}":              "out of range",
		"overlay: o\nst: {}":                              "did you mean set?",
		"overlay: o\nscale: {l1.way: 2}":                  "did you mean l1.ways?",
		"overlay: o\nscale: {l1.write: 2}":                "is not a number",
		"overlay: o\nscale: {l1.ways: -2}":                "is not in 0..1024",
		"overlay: o\nrequires: [{key: l1.ways}]":          "needs key, reason",
		"overlay: o\nrequires: [{key: l1.ways, abve: 2}]": "did you mean above?",
		"name: m\nbase: gtx480":                           "base must be the first key",
		"- 1":                                             "expected keys and values",
		"":                                                "is empty",
		"name: a\n---\nname: b":                           "2 YAML documents",
		"name: [":                                         "YAML",
		"name: a\nname: b":                                "name",
		strings.Repeat("a: {", 2000) + strings.Repeat("}", 2000) + "\n":    "a",
		"overlay: o\nrequires: [{key: l1.ways, is: x, reason: r}]\nset: 1": "expected sections",
	} {
		path := write(t, dir, "c.yaml", text)
		if err := Check(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v\nwant %q", text, err, want)
		}
	}
	if err := Check(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}

func TestSizesReadBackWhatTheyWrite(t *testing.T) {
	for _, v := range []int64{0, 1, 100, 1024, 1536, 48 << 10, 8 << 20, 3 << 30} {
		if got, err := parseSize(formatSize(v)); err != nil || got != v {
			t.Errorf("%d: %q reads as %d, %v", v, formatSize(v), got, err)
		}
	}
	for _, s := range []string{"", "KiB", "1.5KiB", "48KB", "-1B", "9223372036854775807KiB", "0x10"} {
		if v, err := parseSize(s); err == nil {
			t.Errorf("%q reads as %d", s, v)
		}
	}
}

// FuzzParse: no file makes the loader panic, and an accepted machine is usable.
func FuzzParse(f *testing.F) {
	for _, name := range builtinNames("machines") {
		text, err := builtin.ReadFile("machines/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("overlay: o\nset: {l1: {ways: 8}}\nscale: {l1.bytes: 2}\n"))
	f.Add([]byte("a: &x [*x]\n? [1]\n: 2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := parseDocument("f.yaml", text)
		if err != nil {
			return
		}
		if doc.has("overlay") {
			if o, err := parseOverlay(doc); err == nil {
				m, err := Load("gtx480")
				if err != nil {
					t.Fatal(err)
				}
				_ = o.apply(m)
			}
			return
		}
		l := &loader{m: &Machine{origins: map[string]Origin{}}}
		if l.machine(doc, "f.yaml", t.TempDir(), 0) == nil && l.m.check("f.yaml") == nil {
			if err := l.m.Show(&bytes.Buffer{}); err != nil {
				t.Error(err)
			}
			if len(l.m.Digest()) != 64 {
				t.Error(l.m.Digest())
			}
		}
	})
}
