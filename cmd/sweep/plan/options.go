// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/warptape/warptape/cmd/results"
)

var (
	optionKeys = []string{"interval_cycles", "watchdog_cycles", "energy"}
	energyKeys = []string{"technology", "calibration", "coefficients"}
)

// options reads what all replays of the plan are asked for.
func (p *problems) options(node ast.Node) (o results.Options) {
	for _, m := range p.members(node, "options") {
		switch m.key {
		case "interval_cycles":
			o.IntervalCycles = p.unsigned(m.value, m.key)
		case "watchdog_cycles":
			o.WatchdogCycles = p.unsigned(m.value, m.key)
		case "energy":
			for _, e := range p.members(m.value, "energy") {
				switch e.key {
				case "technology":
					o.Energy.Technology, _ = p.text(e.value, e.key)
				case "calibration":
					o.Energy.Calibration, _ = p.text(e.value, e.key)
				case "coefficients":
					o.Energy.Coefficients = p.texts(e.value, e.key)
				default:
					p.add(e.at, "unknown key %q%s", e.key, didYouMean(e.key, energyKeys))
				}
			}
		default:
			p.add(m.at, "unknown key %q%s", m.key, didYouMean(m.key, optionKeys))
		}
	}
	return o
}
