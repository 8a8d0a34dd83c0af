// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
)

func TestProgramsRunOnTheCoresAlone(t *testing.T) {
	tracetest.Nightly(t)
	result := filepath.Join(t.TempDir(), "r.json")
	table := good(t, "replay", "--cpu", "compression", "--arch", "gpsim-soc+cpu", "--arch", "gpsim-soc+cpu(order=in_order)", "--energy", "--json", result)
	for _, want := range []string{"compression", "649239", "IPC", "gpsim-soc+cpu(order=in_order)", "chip/cpu/l1d/data", "chip/cpu/rob"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var read []struct {
		CPUCycles int64 `json:"cpu_cycles"`
		Programs  []struct {
			Program  string            `json:"program"`
			IPC      float64           `json:"ipc"`
			Counters map[string]uint64 `json:"counters"`
		} `json:"programs"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || read[0].Programs[0].Counters["cpu_instructions"] != 649239 || read[0].Programs[0].IPC <= read[1].Programs[0].IPC || read[0].CPUCycles == 0 {
		t.Errorf("%+v", read)
	}
}

func TestReplaysOfProgramsThatCannotBeAreRefused(t *testing.T) {
	gpuTrace := recordedTiny(t, "saxpy")
	cut := filepath.Join(t.TempDir(), "cut.wtape")
	whole, err := os.ReadFile("../../traces/cpu/compression.wtape")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	pages := filepath.Join(t.TempDir(), "pages.wtape")
	folder := t.TempDir()
	text, code := filepath.Join(folder, "a.txt"), filepath.Join(folder, "a.dis")
	for path, content := range map[string]string{text: "I  00401000,1\n== Exit code: 0\n", code: "  401000:\tc3\tret\n"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good(t, "trace", "import", "lackey", text, "--disassembly", code, "--page-bytes", "65536", "-o", pages)
	const arch = "gpsim-soc+cpu"
	for want, args := range map[string][]string{
		"run on gpsim-soc+cpu":         {"--cpu", "S1", "--arch", "gpsim-soc"},
		"8 programs on 6 cores":        {"--cpu", "S1,S2", "--arch", arch},
		"replay fewer at a time":       {"--cpu", "fft,fluid", "--arch", "gtx480"},
		"has no CPU threads":           {"--cpu", gpuTrace, "--arch", arch},
		"captured with pages of 65536": {"--cpu", pages, "--arch", arch},
		"cut.wtape":                    {"--cpu", cut, "--arch", arch},
		"no-such-program":              {"--cpu", "no-such-program", "--arch", arch},
		"64 programs on 6 cores":       {"--cpu", "fft", "--arch", arch},
		"are not of one process":       {"--cpu", "S1", "--arch", "eesi"},
		"fft/0 and fluid/0 are not of": {"--cpu", "fft,fluid", "--arch", "eesi"},
		"these programs run on eesi":   {"--cpu", "fft", "--arch", "gpsim-sbi"},
		"no tinyCaches, in which":      {"--cpu", "fft", "--arch", withoutTinyCaches(t)},
		"the cores' are coherent":      {"--cpu", "fft-4", "--check-consistency", "--arch", arch},
	} {
		bad(t, commandline.ExitFailed, want, append([]string{"replay"}, args...)...)
	}
	bad(t, commandline.ExitFailed, "put one of the overlays typsoc", "replay", gpuTrace, "--cpu", "S1", "--arch", arch)
	bad(t, commandline.ExitFailed, "beside the traced one need 9 cores", "replay", gpuTrace, "--cpu", "S1,S2", "--arch", arch+"+fusetlb")
	// A chip of CPU cores has no SMs, with or without CPU programs.
	bad(t, commandline.ExitFailed, "mimd: this chip has CPU cores and no SMs", "replay", gpuTrace, "--arch", "mimd", "-q")
	bad(t, commandline.ExitFailed, "mimd: this chip has CPU cores and no SMs", "replay", gpuTrace, "--cpu", "fft-4", "--arch", "mimd", "-q")
	bad(t, commandline.ExitFailed, "128 programs on 64 cores", "replay", "--cpu", "fft,fluid", "--arch", "mimd")
	bad(t, commandline.ExitFailed, "the cores' are coherent", "replay", "--cpu", "fft-4", "--check-consistency", "--arch", "mimd")
	// The same together with a GPU's trace, and traces in each other's place.
	for want, args := range map[string][]string{
		"captured with pages of 65536":      {gpuTrace, "--cpu", pages},
		"cut off after 0 whole chunks":      {gpuTrace, "--cpu", cut},
		"has no CPU threads":                {gpuTrace, "--cpu", gpuTrace},
		"give CPU threads with --cpu":       {"../../traces/cpu/compression.wtape"},
		"the sets are S1, S2, T1, T2, T3, ": {gpuTrace, "--cpu", "S3"},
	} {
		bad(t, commandline.ExitFailed, want, append([]string{"replay", "-q", "--arch", arch + "+fusetlb"}, args...)...)
	}
	for _, list := range []string{"", "S1,", ",", "S1,,stencil"} {
		bad(t, commandline.ExitUsage, "a name is missing", "replay", gpuTrace, "--cpu", list, "--arch", arch+"+fusetlb")
	}
	bad(t, commandline.ExitUsage, "must be a power of two", "trace", "import", "lackey", text, "--disassembly", code, "--page-bytes", "1000", "-o", pages)
	bad(t, commandline.ExitUsage, "want one CAPTURE", "trace", "import", "lackey", "--disassembly", code, "-o", pages)
}

// withoutTinyCaches is eesi without the data caches of its lanes.
func withoutTinyCaches(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "bare.yaml")
	if err := os.WriteFile(path, []byte("base: eesi\nname: bare\ndescription: test\ntinycache:\n  enabled: false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestThreadsOfAProgramRunOnLanesAndOnCores(t *testing.T) {
	tracetest.Nightly(t)
	const cores = "gpsim-soc+cpu(cores=64,order=in_order)"
	table := good(t, "replay", "--cpu", "fft", "--arch", "eesi", "--arch", cores, "--energy")
	for _, want := range []string{"fft/0", "fft/63", "chip/sm/powered registers", "chip/sm/front end/tinyICache", "chip/cpu/l1d/data"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	good(t, "replay", "--cpu", "T5", "--arch", "eesi", "--check-consistency")
	beside := good(t, "replay", recordedTiny(t, "saxpy"), "--cpu", "T4", "--arch", "gpsim-soc+cpu+fusetlb", "-q")
	if !strings.Contains(beside, "fft-4/3") {
		t.Errorf("threads beside a GPU's trace:\n%s", beside)
	}
}

func TestProgramsRunBesideAGPUsTrace(t *testing.T) {
	gpuTrace := recordedTiny(t, "saxpy")
	out := good(t, "replay", gpuTrace, "--cpu", "neural-network,stencil", "--arch", "gpsim-soc+cpu+copysoc", "--arch", "gpsim-soc+cpu+fusetlb", "-q")
	for _, want := range []string{"programs on gpsim-soc+cpu+copysoc", "programs on gpsim-soc+cpu+fusetlb", "neural-network", "stencil"} {
		if !strings.Contains(out, want) {
			t.Errorf("the replay does not say %q:\n%s", want, out)
		}
	}
}
