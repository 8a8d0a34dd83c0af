// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// workloads of the page: three that compute, one that streams, and the irregular ones.
var workloads = []string{"sgemm", "hotspot", "stencil", "saxpy", "mvt", "bfs", "spmv", "pointer-chase"}

// severalWorkloads are those of the tables of several machines and cores.
var severalWorkloads = []string{"sgemm", "saxpy", "spmv"}

// fastWorkloads are those of fast replays, at fastSize: short programs have none.
var fastWorkloads = []string{"saxpy", "fft", "triad"}

const fastSize = "paper"

// slowest are the workloads that record slowest.
var slowest = []string{"hopper-gemm", "texture-rotate", "image-histogram", "sobol-qrng", "mri-q", "sad"}

// page is one measurement.
type page struct {
	out              io.Writer
	program, against string
	folder, size     string
	root             string // of the source tree
	turns, machines  int

	saved strings.Builder // in the format of Go's benchmarks
}

// write measures and prints everything.
func (p *page) write(ctx context.Context, only []string, save string) error {
	rates, several, long, recorded := workloads, severalWorkloads, fastWorkloads, slowest
	if len(only) > 0 {
		rates, several, long, recorded = only, only, only, only
	}
	fmt.Fprintf(p.out, "Speed of replays, size %s, medians of %d turns; %d cores, %s\n", p.size, p.turns, runtime.NumCPU(), runtime.Version())
	for _, part := range []func(context.Context, []string) error{p.start, p.rates} {
		if err := part(ctx, rates); err != nil {
			return err
		}
	}
	for _, part := range []func(context.Context, []string) error{p.several, p.cores} {
		if err := part(ctx, several); err != nil {
			return err
		}
	}
	if err := p.fast(ctx, long); err != nil {
		return err
	}
	if err := p.recordings(ctx, recorded); err != nil {
		return err
	}
	if err := p.programs(ctx); err != nil {
		return err
	}
	if save == "" {
		return nil
	}
	return p.writeSaved(save)
}

// replay is a contender that replays a trace on one core unless more says otherwise.
func replay(program, trace string, more ...string) contender {
	args := append([]string{"replay", trace, "-q", "--workers", "1"}, more...)
	return contender{program, args}
}

// both gives the program's contender, and that of the other program where there is one.
func (p *page) both(trace string, more ...string) []contender {
	list := []contender{replay(p.program, trace, more...)}
	if p.against != "" {
		list = append(list, replay(p.against, trace, more...))
	}
	return list
}

// note adds the other program's ratio to a line.
func (p *page) note(m measured) string {
	if p.against == "" {
		return ""
	}
	return fmt.Sprintf("  %.2f times the other's processor time", m.ratio(0, 1, processor))
}

// start is what a process takes that replays next to nothing.
func (p *page) start(ctx context.Context, _ []string) error {
	trace, err := record(ctx, p.program, p.folder, "saxpy", "tiny")
	if err != nil {
		return err
	}
	m, err := takeTurns(ctx, max(p.turns, 9), p.both(trace, "-a", countedMachine, "--cores", "1")...)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\nA process with 2,500 warp instructions: %.1f ms of processor time%s\n", 1e3*m.seconds(0), p.note(m))
	p.save("ReplayShort", m[0], "cpu-ns/op", func(c cost) float64 { return 1e9 * processor(c) })
	return nil
}

// rates are those of exact replays on one core.
func (p *page) rates(ctx context.Context, names []string) error {
	fmt.Fprintf(p.out, "\nExact replays on one core, %s, in million warp instructions a second of processor time:\n", countedMachine)
	product, ratios := 1.0, 1.0
	for _, name := range names {
		trace, err := record(ctx, p.program, p.folder, name, p.size)
		if err != nil {
			return err
		}
		m, err := takeTurns(ctx, p.turns, p.both(trace, "-a", countedMachine, "--cores", "1")...)
		if err != nil {
			return err
		}
		n, err := instructionsOf(ctx, p.program, trace)
		if err != nil {
			return err
		}
		rate := n / m.seconds(0) / 1e6
		product *= rate
		if p.against != "" {
			ratios *= m.ratio(0, 1, processor)
		}
		fmt.Fprintf(p.out, "  %-22s %6.2f%s\n", name, rate, p.note(m))
		p.save("Replay/"+name, m[0], "warp-insn/s", func(c cost) float64 { return n / processor(c) })
	}
	root := 1 / float64(len(names))
	fmt.Fprintf(p.out, "  %-22s %6.2f", "geometric mean", math.Pow(product, root))
	if p.against != "" {
		fmt.Fprintf(p.out, "  %.2f times the other's processor time", math.Pow(ratios, root))
	}
	fmt.Fprintln(p.out)
	return nil
}

// cores is what a second core brings to one replay.
func (p *page) cores(ctx context.Context, names []string) error {
	fmt.Fprintf(p.out, "\nOne replay on two cores, in elapsed times of one core over those of two (they have to be idle):\n")
	for _, name := range names {
		trace, err := record(ctx, p.program, p.folder, name, p.size)
		if err != nil {
			return err
		}
		m, err := takeTurns(ctx, p.turns, replay(p.program, trace, "-a", countedMachine, "--cores", "1"), replay(p.program, trace, "-a", countedMachine, "--cores", "2"))
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "  %-22s %5.2f\n", name, m.ratio(0, 1, elapsed))
		p.save("TwoCores/"+name, m[1], "elapsed-ns/op", func(c cost) float64 { return 1e9 * elapsed(c) })
	}
	return nil
}

// fast compares fast replays with exact ones: times, and cycles.
func (p *page) fast(ctx context.Context, names []string) error {
	size := fastSize
	if p.size == "tiny" {
		size = p.size // a trial of the page
	}
	fmt.Fprintf(p.out, "\nFast replays of size %s on %s, taking the sample included:\n", size, countedMachine)
	product := 1.0
	for _, name := range names {
		trace, err := record(ctx, p.program, p.folder, name, size)
		if err != nil {
			return err
		}
		m, err := takeTurns(ctx, max(p.turns/2, 1), replay(p.program, trace, "-a", countedMachine, "--cores", "1", "--json", "-"),
			replay(p.program, trace, "-a", countedMachine, "--cores", "1", "--fast", "--json", "-"))
		if err != nil {
			return err
		}
		exact, _, err := cyclesOf(m[0][0].output)
		if err != nil {
			return err
		}
		estimate, interval, err := cyclesOf(m[1][0].output)
		if err != nil {
			return err
		}
		ratio := m.ratio(0, 1, processor)
		product *= ratio
		fmt.Fprintf(p.out, "  %-22s %6.2f times less processor time, error %+.2f %% ± %.1f %%\n", name, ratio, 100*(estimate/exact-1), interval)
		p.save("Fast/"+name, m[1], "cpu-ns/op", func(c cost) float64 { return 1e9 * processor(c) })
	}
	fmt.Fprintf(p.out, "  %-22s %6.2f\n", "geometric mean", math.Pow(product, 1/float64(len(names))))
	return nil
}

// cyclesOf reads the cycles of what replay --json wrote, and their interval in percent, zero
// of an exact replay.
func cyclesOf(text []byte) (cycles, interval float64, err error) {
	var results []struct {
		Total struct {
			Cycles      float64 `json:"cycles"`
			Uncertainty struct {
				Percent float64 `json:"cycles_plus_minus_percent"`
			} `json:"uncertainty"`
		} `json:"total"`
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return 0, 0, fmt.Errorf("replay --json: %w", err)
	}
	if len(results) != 1 || results[0].Total.Cycles == 0 {
		return 0, 0, fmt.Errorf("replay --json: no cycles of one machine")
	}
	return results[0].Total.Cycles, results[0].Total.Uncertainty.Percent, nil
}

// recordings are the rates of the workloads that record slowest.
func (p *page) recordings(ctx context.Context, names []string) error {
	fmt.Fprintf(p.out, "\nRecordings, in million warp instructions a second of processor time, compression included:\n")
	for _, name := range names {
		trace := filepath.Join(p.folder, "recorded.wtape")
		list := []contender{{p.program, recording(name, p.size, trace)}}
		if p.against != "" {
			list = append(list, contender{p.against, recording(name, p.size, filepath.Join(p.folder, "other.wtape"))})
		}
		m, err := takeTurns(ctx, p.turns, list...)
		if err != nil {
			return err
		}
		n, err := instructionsOf(ctx, p.program, trace)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "  %-22s %6.2f%s\n", name, n/m.seconds(0)/1e6, p.note(m))
		p.save("Record/"+name, m[0], "warp-insn/s", func(c cost) float64 { return n / processor(c) })
	}
	return nil
}

// recording is the command line that records a workload.
func recording(name, size, path string) []string {
	return []string{"record", name, "--size", size, "-o", path, "-q", "--force"}
}

// instructionsOf is the number of warp instructions of a trace.
func instructionsOf(ctx context.Context, program, trace string) (float64, error) {
	said, err := run(ctx, program, "trace", "info", "--json", trace)
	if err != nil {
		return 0, err
	}
	var info struct {
		Totals struct {
			Instructions float64 `json:"warp_instructions"`
		} `json:"totals"`
	}
	if err := json.Unmarshal(said.output, &info); err != nil {
		return 0, fmt.Errorf("trace info --json: %w", err)
	}
	if info.Totals.Instructions == 0 {
		return 0, fmt.Errorf("%s has no warp instructions", trace)
	}
	return info.Totals.Instructions, nil
}

// writeSaved writes what was kept, under what benchstat needs to tell machines apart: it
// puts figures of two of them into tables of their own.
func (p *page) writeSaved(path string) error {
	text := fmt.Sprintf("goos: %s\ngoarch: %s\ncpu: %s\nsize: %s\n%s", runtime.GOOS, runtime.GOARCH, processorName(), p.size, p.saved.String())
	return os.WriteFile(path, []byte(text), 0o644)
}

// processorName is what Linux calls the processor, and elsewhere how many there are.
func processorName() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // of another system there is none
	for line := range strings.Lines(string(text)) {
		if key, name, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return fmt.Sprintf("%d cores", runtime.NumCPU())
}

// save keeps what was measured in each turn for benchstat.
func (p *page) save(name string, turns []cost, unit string, of func(cost) float64) {
	for _, c := range turns {
		fmt.Fprintf(&p.saved, "Benchmark%s 1 %g %s\n", name, of(c), unit)
	}
}
