// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/terminal"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/results/table"
)

// usualRows are shown without --full.
const usualRows = 40

func resultsShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show the results of a folder as a table, or one result in full",
		ArgsUsage: "[DIR [KEY]]",
		Description: `Shows what tells the points apart, the metrics of the plan and a few figures, as far as the
terminal has room. What is the same in all rows stands above the table. A key, or its first
letters, shows one result in full: results export has the keys.

Examples:
  warptape results show study
  warptape results show study --sweep l1 --sort -speedup
  warptape results show study --columns trace,l1.bytes,l1_read_hit_percent
  warptape results show study 8f03a1c2`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "sort", Usage: "order by this `COLUMN`, from the smallest; with - before it from the largest"},
			&cli.BoolFlag{Name: "full", Usage: fmt.Sprintf("all rows (default: the first %d)", usualRows)},
			&cli.BoolFlag{Name: "json", Usage: "as JSON; all rows"},
		}, tableFlags()...),
		Action: showAction,
	}
}

func showAction(c *cli.Context) error {
	if c.NArg() > 2 {
		return commandline.ExactArgs(c, "DIR", "KEY")
	}
	if c.NArg() == 2 {
		return showPoint(c, c.Args().Get(1))
	}
	o := tableOptions(c)
	o.Brief = true
	t, err := openTable(c, o)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if c.IsSet("sort") {
			return commandline.Usagef("--sort: is for people; JSON has the order of the plan")
		}
		return t.WriteJSON(c.Context, c.App.Writer)
	}
	var rows [][]table.Cell
	for row, err := range t.Rows(c.Context) {
		if err != nil {
			return err
		}
		rows = append(rows, slices.Clone(row))
	}
	if err := sortRows(t, rows, c.String("sort")); err != nil {
		return err
	}
	return writeRows(c, t, rows)
}

// sortRows orders rows by a column; those without a value come last.
func sortRows(t *table.Table, rows [][]table.Cell, by string) error {
	if by == "" {
		return nil
	}
	name, descending := strings.CutPrefix(by, "-")
	i := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Name == name })
	if i < 0 {
		var names []string
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
		return commandline.Usagef("--sort %s: the table has the columns %s; add others with --columns", by, strings.Join(names, ", "))
	}
	slices.SortStableFunc(rows, func(a, b []table.Cell) int {
		x, y := a[i], b[i]
		switch {
		case !x.Present || !y.Present:
			return -cmp.Compare(boolInt(x.Present), boolInt(y.Present))
		case descending:
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Text, y.Text))
	})
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// writeRows prints what differs between rows as a table, and the rest above it.
func writeRows(c *cli.Context, t *table.Table, rows [][]table.Cell) error {
	out := c.App.Writer
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "no results")
		return err
	}
	var g terminal.Grid
	var shown []int
	for i := range t.Columns {
		col := &t.Columns[i]
		same := !slices.ContainsFunc(rows, func(row []table.Cell) bool { return row[i] != rows[0][i] })
		if same && len(rows) > 1 {
			if rows[0][i].Present && (col.Name != table.StateName || rows[0][i].Text != table.Done) {
				fmt.Fprintf(out, "%s: %s\n", col.Name, shownCell(rows[0][i]))
			}
			continue
		}
		shown = append(shown, i)
		g.Columns = append(g.Columns, terminal.GridColumn{Name: col.Name, Left: col.Kind == table.Text})
	}
	most := usualRows
	if c.Bool("full") {
		most = len(rows)
	}
	for _, row := range rows[:min(most, len(rows))] {
		cells := make([]string, len(shown))
		for j, i := range shown {
			cells[j] = shownCell(row[i])
		}
		g.Rows = append(g.Rows, cells)
	}
	left := fit(&g, terminal.Width(out), c.IsSet("columns"))
	if err := g.Write(out); err != nil {
		return err
	}
	if n := len(rows) - len(g.Rows); n > 0 {
		fmt.Fprintf(out, "and %d more rows: --full shows them, warptape results export writes them\n", n)
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "no room for %s; --columns shows them\n", strings.Join(left, ", "))
	}
	return nil
}

// fit takes the last columns away that a line has no room for, unless they were asked for
// by name, and gives their names.
func fit(g *terminal.Grid, width int, asked bool) []string {
	n := g.Fitting(width)
	if asked || n == len(g.Columns) {
		return nil
	}
	var left []string
	for _, c := range g.Columns[n:] {
		left = append(left, c.Name)
	}
	g.Columns = g.Columns[:n]
	for i := range g.Rows {
		g.Rows[i] = g.Rows[i][:n]
	}
	return left
}

// shownCell is a value for people: five digits of what is not whole.
func shownCell(c table.Cell) string {
	switch {
	case !c.Present:
		return "-"
	case c.Text != "":
		return c.Text
	case c.Number == math.Trunc(c.Number) && math.Abs(c.Number) < 1e15:
		return strconv.FormatFloat(c.Number, 'f', 0, 64)
	}
	return digits(c.Number)
}

// digits writes five digits of a number, with an exponent only where there would be many
// zeros.
func digits(v float64) string {
	const most = 5
	magnitude := math.Floor(math.Log10(math.Abs(v)))
	if magnitude < -most || magnitude >= 15 {
		return strconv.FormatFloat(v, 'g', most, 64)
	}
	return strconv.FormatFloat(v, 'f', int(max(0, most-1-magnitude)), 64)
}

// showPoint prints the result whose key begins so.
func showPoint(c *cli.Context, prefix string) error {
	s, err := openResults(c)
	if err != nil {
		return err
	}
	key, err := findKey(s, prefix)
	if err != nil {
		return err
	}
	p, err := s.Get(key)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetIndent("", " ")
		e.SetEscapeHTML(false)
		if err := e.Encode(p); err != nil {
			return err
		}
		_, err := io.WriteString(c.App.Writer, b.String())
		return err
	}
	return writePoint(c.App.Writer, p)
}

func findKey(s *results.Store, prefix string) (string, error) {
	found := ""
	for key, err := range s.Keys() {
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("%s: several results have keys that begin with %s; write more of the key", s.Root(), prefix)
		}
		found = key
	}
	if found == "" {
		return "", fmt.Errorf("%s: no result has a key that begins with %s; warptape results export lists the keys", s.Root(), prefix)
	}
	return found, nil
}

func writePoint(w io.Writer, p *results.Point) error {
	read, err := p.Read()
	if err != nil {
		return err
	}
	options, err := json.Marshal(&p.Options)
	if err != nil {
		return err
	}
	facts := terminal.Grid{Columns: []terminal.GridColumn{{Name: "key", Left: true}, {Name: p.Key, Left: true}}}
	for _, f := range [][2]string{
		{"machine", read.Machine}, {"architecture", p.ArchitectureDigest}, {"program", p.Trace.Program}, {"trace", p.TraceDigest},
		{"sampling", p.Trace.Sampling}, {"model", p.Model}, {"version", read.Version}, {"options", string(options)}, {"bottleneck", read.Total.TopDown.Bottleneck},
	} {
		if f[1] != "" && f[1] != "{}" {
			facts.Rows = append(facts.Rows, f[:])
		}
	}
	for _, text := range read.Warnings {
		facts.Rows = append(facts.Rows, []string{"warning", text})
	}
	if err := facts.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	figures := p.TotalFigures(read)
	g := terminal.Grid{Columns: []terminal.GridColumn{{Name: "figure", Left: true}, {Name: "value"}, {Name: "unit", Left: true}}}
	for _, v := range results.Values() {
		if f, ok := figures[v.Name]; ok {
			g.Rows = append(g.Rows, []string{v.Name, shownCell(table.Cell{Present: true, Number: f}), v.Unit})
		}
	}
	return g.Write(w)
}
