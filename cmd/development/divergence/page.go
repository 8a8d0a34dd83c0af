// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/trace"
)

//go:embed page.md.tmpl
var pageTemplate string

// comparison is the table of a machine.
type comparison struct{ Machine, Rows string }

// WritePage writes docs/divergence.md.
func WritePage(b *bytes.Buffer) error {
	var rows []row
	if err := json.Unmarshal(measurements, &rows); err != nil {
		return fmt.Errorf("%s: %w", measurementsFile, err)
	}
	var tables []comparison
	for _, machine := range machines {
		text, err := compared(rows, machine)
		if err != nil {
			return err
		}
		tables = append(tables, comparison{machine, text})
	}
	return page.Write(b, pageTemplate, map[string]any{"Tables": tables, "Calibration": pricing.Calibrations[0]})
}

// compared gives the table of a machine: a line for each trace, and the geometric means.
func compared(rows []row, machine string) (string, error) {
	var b strings.Builder
	means := make([]float64, 4*(len(policies)-1)) // logarithms
	for _, name := range workloads {
		base, err := rowOf(rows, machine, policies[0], name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %.1f |", name, base.lanes())
		for i, policy := range policies[1:] {
			x, err := rowOf(rows, machine, policy, name)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " %.1f |", x.lanes())
			for k, ratio := range x.over(base) {
				fmt.Fprintf(&b, " %.3f |", ratio)
				means[4*i+k] += math.Log(ratio) / float64(len(workloads))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("| geometric mean | |")
	for i, mean := range means {
		if i%4 == 0 {
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %.3f |", math.Exp(mean))
	}
	b.WriteString("\n")
	return b.String(), nil
}

// lanes is the share of lanes that take part in an instruction, in per cent.
func (x *row) lanes() float64 { return 100 * float64(x.Threads) / float64(x.Warps*trace.WarpSize) }

// over are the ratios of a row to another: warp instructions, transactions, cycles, energy.
func (x *row) over(base *row) [4]float64 {
	return [4]float64{
		float64(x.Warps) / float64(base.Warps), float64(x.Transactions) / float64(base.Transactions),
		float64(x.Cycles) / float64(base.Cycles), x.MicroJoules / base.MicroJoules,
	}
}
