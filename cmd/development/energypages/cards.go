// SPDX-License-Identifier: Apache-2.0

package energypages

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/development/microbenchmarks"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// cards are the machines whose power and area are held to what was published of the card.
var cards = microbenchmarks.Machines

// cardKernels are kernels of the microbenchmarks that keep a card busy. Each measures the rate of a level.
var cardKernels = []string{"rate_l1", "rate_l2", "read_memory"}

// cardSettings are the microbenchmarks' size tiny, on all SMs of each card.
var cardSettings = map[string]string{"blocks": "264", "words": "12", "launches": "1"}

const cardsFile = "cmd/development/energypages/cards.json"

//go:embed cards.json
var cardsJSON []byte

// cardLaunch is the longest launch of a kernel on a card.
type cardLaunch struct {
	Card     string            `json:"card"`
	Kernel   string            `json:"kernel"`
	Seconds  float64           `json:"seconds"`
	Counters map[string]uint64 `json:"counters"`
}

// CardsCommand counts what busy cards do.
func CardsCommand() *cli.Command {
	return &cli.Command{
		Name:  "energy-cards",
		Usage: "replay the microbenchmarks' rates on " + strings.Join(cards, ", ") + " and write " + cardsFile,
		Flags: []cli.Flag{&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."}},
		Action: func(c *cli.Context) error {
			rows, err := countCards(c.Context)
			if err != nil {
				return err
			}
			return resultfile.WriteJSON(filepath.Join(c.String("root"), cardsFile), true, rows)
		},
	}
}

func countCards(ctx context.Context) ([]cardLaunch, error) {
	program, _, err := programs.Load("microbenchmarks")
	if err != nil {
		return nil, err
	}
	r, err := programs.Record("microbenchmarks", 1, func(w *wtape.Writer) error {
		_, err := program.Run(ctx, host.Options{Size: "tiny", Set: cardSettings, Seed: 1, Sink: w, Out: io.Discard})
		return err
	})
	if err != nil {
		return nil, err
	}
	machines, err := machineset.Load(cards)
	if err != nil {
		return nil, err
	}
	results, err := replay.Run(ctx, r, machines, replay.Options{})
	if err != nil {
		return nil, err
	}
	var rows []cardLaunch
	for i := range results {
		for _, kernel := range cardKernels {
			row := cardLaunch{Card: cards[i], Kernel: kernel}
			for j := range results[i].Launches {
				l := &results[i].Launches[j]
				if l.Kernel != kernel || l.Nanoseconds*1e-9 <= row.Seconds {
					continue
				}
				row.Seconds, row.Counters = l.Nanoseconds*1e-9, map[string]uint64{}
				for id, n := range l.Counters {
					if n != 0 {
						row.Counters[counters.Declared(counters.ID(id)).Name] = n
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// cardPower is what a card draws in watts, kernel by kernel of cardKernels, and with nothing to do.
type cardPower struct {
	card    string
	die     energy.Die
	idleW   float64
	kernels []float64
}

// powerOfCards prices the committed counts.
func powerOfCards() ([]cardPower, error) {
	var rows []cardLaunch
	if err := json.Unmarshal(cardsJSON, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", cardsFile, err)
	}
	var list []cardPower
	for _, card := range cards {
		m, model, err := cardModel(card)
		if err != nil {
			return nil, err
		}
		p := cardPower{card: card}
		p.die, _ = energy.DieOf(m)
		watts := func(set *counters.Set, seconds float64) (float64, error) {
			report, err := model.Account(set, seconds)
			return report.AverageW(), err
		}
		if p.idleW, err = watts(new(counters.Set), 1); err != nil {
			return nil, err
		}
		for _, kernel := range cardKernels {
			at := slices.IndexFunc(rows, func(r cardLaunch) bool { return r.Card == card && r.Kernel == kernel })
			if at < 0 {
				return nil, fmt.Errorf("%s: no row for %s on %s: run warptape-dev energy-cards", cardsFile, kernel, card)
			}
			var set counters.Set
			for name, n := range rows[at].Counters {
				id, ok := counters.Lookup(name)
				if !ok {
					return nil, fmt.Errorf("%s: %s is no counter: run warptape-dev energy-cards", cardsFile, name)
				}
				set[id] = n
			}
			w, err := watts(&set, rows[at].Seconds)
			if err != nil {
				return nil, err
			}
			p.kernels = append(p.kernels, w)
		}
		list = append(list, p)
	}
	return list, nil
}

func cardModel(card string) (*arch.Machine, *energy.Model, error) {
	m, err := arch.Load(card)
	if err != nil {
		return nil, nil, err
	}
	model, err := pricing.Model(m, energy.TechnologyOf(m), "", nil)
	return m, model, err
}

// powerRows are the rows of the page.
func powerRows() (string, error) {
	list, err := powerOfCards()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "| `%s` | %.0f | %.0f |", p.card, p.die.IdleW, p.idleW)
		for _, w := range p.kernels {
			fmt.Fprintf(&b, " %.0f |", w)
		}
		fmt.Fprintf(&b, " %.0f |\n", p.die.BoardW)
	}
	return b.String(), nil
}

// diePart is a part of a die and the components that it is made of.
type diePart struct {
	name  string
	nodes []string
}

var dieParts = []diePart{
	{"register files, operand collectors", []string{"chip/sm/register file", "chip/sm/operand collector"}},
	{"L1 and shared memory", []string{"chip/sm/L1", "chip/sm/shared memory", "chip/sm/coalescer"}},
	{"instruction and constant caches", []string{"chip/sm/front end/fetch", "chip/sm/constant cache"}},
	{"front end", []string{"chip/sm/front end"}},
	{"integer and single-precision lanes", []string{"chip/sm/functional units/integer", "chip/sm/functional units/single precision"}},
	{"double-precision lanes", []string{"chip/sm/functional units/double precision"}},
	{"special functions", []string{"chip/sm/functional units/special"}},
	{"tensor cores", []string{"chip/sm/functional units/tensor"}},
	{"ray tracing", []string{"chip/sm/functional units/ray tracing"}},
	{"control, load and store, texture", []string{"chip/sm/control, load and store, texture"}},
	{"L2 beyond 512 KiB a controller", []string{"chip/L2"}},
	{"network", []string{"chip/network"}},
	{"memory interfaces, 512 KiB of L2 each, links, graphics", []string{"chip/memory interfaces, links, graphics"}},
}

// areaRows has a row for each part of the cards' dies, and what it comes to.
func areaRows() (string, error) {
	parts := make([][]float64, len(dieParts))
	sums := make([]float64, len(cards))
	published, error, process := "| published |", "| error |", "| process |"
	for at, card := range cards {
		m, model, err := cardModel(card)
		if err != nil {
			return "", err
		}
		areas := make([]float64, len(dieParts))
		for i := range model.Components {
			c := &model.Components[i]
			sums[at] += c.AreaMM2
			p := slices.IndexFunc(dieParts, func(p diePart) bool {
				return slices.ContainsFunc(p.nodes, func(n string) bool { return c.Path == n || strings.HasPrefix(c.Path, n+"/") })
			})
			if p < 0 {
				if c.AreaMM2 > 0 {
					return "", fmt.Errorf("BUG: %s of %s belongs to no part of a die", c.Path, card)
				}
				continue
			}
			areas[p] += c.AreaMM2
		}
		for p := range areas {
			parts[p] = append(parts[p], areas[p])
		}
		die, _ := energy.DieOf(m)
		published += fmt.Sprintf(" %.0f |", die.MM2)
		error += fmt.Sprintf(" %+.0f %% |", 100*(sums[at]/die.MM2-1))
		process += fmt.Sprintf(" %s |", die.Process)
	}
	var b strings.Builder
	b.WriteString(process + "\n")
	for p := range dieParts {
		writeAreas(&b, dieParts[p].name, parts[p])
	}
	writeAreas(&b, "sum", sums)
	b.WriteString(published + "\n" + error + "\n")
	return b.String(), nil
}

func writeAreas(b *strings.Builder, name string, areas []float64) {
	fmt.Fprintf(b, "| %s |", name)
	for _, mm2 := range areas {
		if mm2 == 0 {
			b.WriteString(" - |")
		} else {
			fmt.Fprintf(b, " %.1f |", mm2)
		}
	}
	b.WriteString("\n")
}
