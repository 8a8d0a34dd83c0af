// Package combinations says which mechanisms go together and measures what pairs bring,
// for docs/combinations.md.
package combinations

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
)

// combinationPart is a mechanism of docs/combinations.md: the section's key, and the
// overlays that bring it, the last its own.
type combinationPart struct {
	key      string
	overlays []string
}

func (p *combinationPart) name() string { return p.overlays[len(p.overlays)-1] }

// combinationParts are the mechanisms, one overlay of each kind.
var combinationParts = []combinationPart{
	{"tinycache", []string{"tinycache"}}, {"mta", []string{"mta"}}, {"dac", []string{"dac"}}, {"cae", []string{"cae"}}, {"wide", []string{"wide"}}, {"buddy", []string{"buddy"}},
	{"offload", []string{"llc-compute"}}, {"offload", []string{"omni-compute"}}, {"soc", []string{"cpu", "fusetlb"}}, {"soc", []string{"cpu", "copysoc"}}, {"soc", []string{"cpu", "privtlb"}},
	{"perfect_memory", []string{"perfect-memory"}},
}

// combinationMachines are tried in this order for a pair.
var combinationMachines = []string{"gtx480", "mesh56", "gpsim-soc"}

// combinationTraces are the subset of the catalogue that is measured, of
// traces/recorded.
var combinationTraces = []string{"spmv", "divergence-nested", "saxpy"}

// notMeasured is in the table of pairs only: its cores take hours for the copies that
// the traces' hosts make.
const notMeasured = "copysoc"

const combinationsFile = "cmd/development/combinations/combinations.json"

//go:embed combinations.json
var combinationsJSON []byte

// combinationRow is what a machine with some mechanisms takes for one trace.
type combinationRow struct {
	Machine      string  `json:"machine"`
	Parts        string  `json:"parts"` // overlays, "" for none
	Trace        string  `json:"trace"`
	Digest       string  `json:"digest"` // of the trace
	Microseconds float64 `json:"microseconds"`
	MicroJoules  float64 `json:"microjoules"`
	AreaMM2      float64 `json:"area_mm2"`
}

// chipChanges fit mechanisms to the chip's SMs: these are faster than the network that
// the paper gives clusters, and have one scheduler.
var chipChanges = map[string]string{"buddy": "buddy:\n  network_mhz: 1700\n", "cae": "cae:\n  units: 1\n"}

// combined loads a machine with parts.
func combined(machine string, parts ...*combinationPart) (*arch.Machine, error) {
	spec, extra := machine, ""
	for _, p := range parts {
		for _, o := range p.overlays {
			if !strings.Contains(spec+"+", "+"+o+"+") {
				spec += "+" + o
			}
		}
		if machine == "gpsim-soc" {
			extra += chipChanges[p.key]
		}
	}
	if extra == "" {
		return arch.Load(spec)
	}
	folder, err := os.MkdirTemp("", "warptape-combinations-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "combined.yaml")
	if err := os.WriteFile(path, []byte("base: "+spec+"\nname: combined\ndescription: combined\n"+extra), 0o600); err != nil {
		return nil, err
	}
	return arch.Load(path)
}

// combinedErrors remembers what loading has said, by machine and parts.
var combinedErrors = map[string]error{}

// combines says why a machine with parts is refused, nil when it is not.
func combines(machine string, parts ...*combinationPart) error {
	key := machine + "+" + partNames(parts)
	err, known := combinedErrors[key]
	if !known {
		_, err = combined(machine, parts...)
		combinedErrors[key] = err
	}
	return err
}

// pairMachine gives the first machine on which each of two parts goes alone, "" when
// there is none. Chains execute at cores only where a mesh connects them.
func pairMachine(a, b *combinationPart) string {
	machines := combinationMachines
	if a.key == "offload" || b.key == "offload" {
		machines = machines[1:]
	}
	for _, machine := range machines {
		if combines(machine, a) == nil && combines(machine, b) == nil {
			return machine
		}
	}
	return ""
}

// pairRefusal says why two parts do not go together, "" when they do.
func pairRefusal(a, b *combinationPart) (string, error) {
	machines := combinationMachines
	if machine := pairMachine(a, b); machine != "" {
		machines = []string{machine}
	}
	for _, machine := range machines {
		err := combines(machine, a, b)
		if err == nil {
			return "", nil
		}
		var problems *arch.Error
		if !errors.As(err, &problems) {
			return "", err
		}
		for _, p := range problems.Problems {
			if strings.Contains(p.Message, a.key+" ") && strings.Contains(p.Message, b.key+" ") {
				return p.Message, nil
			}
		}
	}
	return "", fmt.Errorf("BUG: %s and %s go with no machine together, and nothing says why", a.name(), b.name())
}

// Command replays recorded traces on pairs of mechanisms.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "combinations",
		Usage: "replay recorded traces on pairs of mechanisms and write " + combinationsFile,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.BoolFlag{Name: "again", Usage: "measure also what the file has; without, a run that was stopped goes on"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			m := combinationMeasurement{root: c.String("root"), progress: c.App.Writer}
			if !c.Bool("again") {
				if err := json.Unmarshal(combinationsJSON, &m.known); err != nil {
					return fmt.Errorf("%s: %w", combinationsFile, err)
				}
			}
			return m.measure(c.Context)
		},
	}
}

// combinationPairs lists the pairs that go together, by machine: each part alone, then
// the pairs.
func combinationPairs() (map[string][][]*combinationPart, error) {
	sets := map[string][][]*combinationPart{}
	alone := map[string]bool{}
	add := func(machine string, parts ...*combinationPart) {
		var names []string
		for _, p := range parts {
			names = append(names, p.name())
		}
		if key := machine + "+" + strings.Join(names, "+"); !alone[key] {
			alone[key] = true
			sets[machine] = append(sets[machine], parts)
		}
	}
	for i := range combinationParts {
		for k := i + 1; k < len(combinationParts); k++ {
			a, b := &combinationParts[i], &combinationParts[k]
			machine := pairMachine(a, b)
			if machine == "" || a.key == b.key || a.name() == notMeasured || b.name() == notMeasured {
				continue
			}
			reason, err := pairRefusal(a, b)
			if err != nil {
				return nil, err
			}
			if reason == "" {
				add(machine)
				add(machine, a)
				add(machine, b)
				add(machine, a, b)
			}
		}
	}
	return sets, nil
}

// combinationMeasurement replays the traces; known rows stay as they are.
type combinationMeasurement struct {
	root        string
	progress    io.Writer
	known, rows []combinationRow
}

func (m *combinationMeasurement) measure(ctx context.Context) error {
	sets, err := combinationPairs()
	if err != nil {
		return err
	}
	for _, name := range combinationTraces {
		if err := m.measureTrace(ctx, name, sets); err != nil {
			return errors.Join(err, m.write(append(m.rows, m.known...)))
		}
	}
	return m.write(m.rows)
}

func (m *combinationMeasurement) write(rows []combinationRow) error {
	return resultfile.Write(filepath.Join(m.root, combinationsFile), true, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(rows)
	})
}

func (m *combinationMeasurement) measureTrace(ctx context.Context, name string, sets map[string][][]*combinationPart) error {
	r, err := trace.Open(filepath.Join(m.root, "traces", "recorded", name+".wtape"))
	if err != nil {
		return err
	}
	defer r.Close()
	for _, machine := range combinationMachines {
		for _, parts := range sets[machine] {
			row := combinationRow{Machine: machine, Parts: partNames(parts), Trace: name, Digest: r.Digest()}
			if i := slices.IndexFunc(m.known, row.same); i >= 0 {
				m.rows = append(m.rows, m.known[i])
				continue
			}
			if err := row.measure(ctx, r, parts); err != nil {
				return err
			}
			m.rows = append(m.rows, row)
			fmt.Fprintln(m.progress, row.Trace, row.Machine, row.Parts)
		}
	}
	return nil
}

// same reports whether a row is of the same machine and trace.
func (row *combinationRow) same(other combinationRow) bool {
	return row.Machine == other.Machine && row.Parts == other.Parts && row.Trace == other.Trace && row.Digest == other.Digest
}

func partNames(parts []*combinationPart) string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name())
	}
	return strings.Join(names, "+")
}

// measure replays a trace on the row's machine with parts.
func (row *combinationRow) measure(ctx context.Context, r *trace.Reader, parts []*combinationPart) error {
	m, err := combined(row.Machine, parts...)
	if err != nil {
		return err
	}
	results, err := replay.Run(ctx, r, []*arch.Machine{m}, replay.Options{Workers: 1})
	if err != nil {
		return err
	}
	total := &results[0].Total
	model, err := pricing.Model(m, energy.TechnologyOf(m), pricing.Calibrations[0], nil)
	if err != nil {
		return err
	}
	account, err := model.Account((*counters.Set)(&total.Counters), total.Nanoseconds*1e-9)
	if err != nil {
		return err
	}
	sum := account.Total()
	row.Microseconds, row.MicroJoules, row.AreaMM2 = precise(total.Nanoseconds/1e3), precise(sum.TotalJ()*1e6), precise(sum.AreaMM2)
	return nil
}

// precise rounds to six significant digits.
func precise(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

const combinationsIntroduction = `Mechanisms declare what they need, what they provide and take away, and of what a machine has one
([arch.Declaration](../timing/arch/ability.go)). A machine with several is put together in the order that follows. A pair
runs with both at work, or is refused with the reason; the order in which overlays are named never matters. Every ordered
pair on every built-in machine is a test, and ` + "`make combinations`" + ` draws machines, overlays, parameters and workloads at random.

## Which pairs run

"yes" runs; a number is the reason for a refusal, below. Mechanisms of one kind take each other's place.

`

const combinationsEffects = `
## What a pair brings

Time of the kernels, energy (calibration %s) and area, as ratios to the machine without either: geometric means over
%s of traces/recorded; area is the machine's. "together" is that of the pair, "expected" the product of both
alone: a pair whose time is below what is expected helps each other. On gpsim-soc clusters have a network as fast as the SMs,
and SMs one affine unit for their one scheduler.
Made by ` + "`make combination-tables`" + `.
`

// WritePage writes docs/combinations.md.
func WritePage(b *bytes.Buffer) error {
	b.WriteString("# Mechanisms together\n\n" + page.Note + combinationsIntroduction)
	if err := writePairTable(b); err != nil {
		return err
	}
	return writePairEffects(b)
}

// writePairTable writes which pairs run, and why the others do not.
func writePairTable(b *bytes.Buffer) error {
	b.WriteString("| |")
	for i := range combinationParts {
		fmt.Fprintf(b, " %s |", combinationParts[i].name())
	}
	b.WriteString("\n| --- |" + strings.Repeat(" :---: |", len(combinationParts)) + "\n")
	var reasons []string
	number := map[string]int{}
	for i := range combinationParts {
		fmt.Fprintf(b, "| %s |", combinationParts[i].name())
		for k := range combinationParts {
			first, second := &combinationParts[min(i, k)], &combinationParts[max(i, k)]
			if first.key == second.key {
				b.WriteString(" |")
				continue
			}
			reason, err := pairRefusal(first, second)
			if err != nil {
				return err
			}
			if reason == "" {
				b.WriteString(" yes |")
				continue
			}
			if number[reason] == 0 {
				reasons = append(reasons, reason)
				number[reason] = len(reasons)
			}
			fmt.Fprintf(b, " %d |", number[reason])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for i, reason := range reasons {
		fmt.Fprintf(b, "%d. %s\n", i+1, reason)
	}
	return nil
}

// ratios are those of a machine with parts to the machine without.
type ratios struct{ time, energy, area float64 }

// writePairEffects writes what pairs bring, by machine.
func writePairEffects(b *bytes.Buffer) error {
	var rows []combinationRow
	if err := json.Unmarshal(combinationsJSON, &rows); err != nil {
		return fmt.Errorf("%s: %w", combinationsFile, err)
	}
	fmt.Fprintf(b, combinationsEffects, pricing.Calibrations[0], strings.Join(combinationTraces, ", "))
	sets, err := combinationPairs()
	if err != nil {
		return err
	}
	for _, machine := range combinationMachines {
		if len(sets[machine]) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n| pair | time of each | expected | together | energy of each | expected | together | area of each | together |\n"+
			"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", machine)
		for _, parts := range sets[machine] {
			if len(parts) < 2 {
				continue
			}
			x, errX := ratiosOf(rows, machine, partNames(parts[:1]))
			y, errY := ratiosOf(rows, machine, partNames(parts[1:]))
			both, errBoth := ratiosOf(rows, machine, partNames(parts))
			if err := errors.Join(errX, errY, errBoth); err != nil {
				return err
			}
			fmt.Fprintf(b, "| %s | %.3f, %.3f | %.3f | %.3f | %.3f, %.3f | %.3f | %.3f | %.3f, %.3f | %.3f |\n", partNames(parts),
				x.time, y.time, x.time*y.time, both.time, x.energy, y.energy, x.energy*y.energy, both.energy, x.area, y.area, both.area)
		}
	}
	return nil
}

// ratiosOf gives the ratios of a machine with parts, geometric means over the traces.
func ratiosOf(rows []combinationRow, machine, parts string) (ratios, error) {
	of := func(parts, trace string) *combinationRow {
		for i := range rows {
			if r := &rows[i]; r.Machine == machine && r.Parts == parts && r.Trace == trace {
				return r
			}
		}
		return nil
	}
	out := ratios{1, 1, 1}
	each := 1 / float64(len(combinationTraces))
	for _, trace := range combinationTraces {
		base, with := of("", trace), of(parts, trace)
		if base == nil || with == nil {
			return out, fmt.Errorf("%s has no %s on %s+%s: run 'make combination-tables'", combinationsFile, trace, machine, parts)
		}
		out.time *= math.Pow(with.Microseconds/base.Microseconds, each)
		out.energy *= math.Pow(with.MicroJoules/base.MicroJoules, each)
		out.area *= math.Pow(with.AreaMM2/base.AreaMM2, each)
	}
	return out, nil
}
