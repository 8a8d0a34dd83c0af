// SPDX-License-Identifier: Apache-2.0

// Package tables writes the documents that are made from tables in the code.
package tables

import (
	"bytes"
	_ "embed"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

//go:embed statistics.md.tmpl
var statisticsPage string

// WriteStatistics writes docs/statistics.md.
func WriteStatistics(b *bytes.Buffer) error {
	var declared []counters.Declaration
	for id := range counters.ID(counters.Count) {
		declared = append(declared, counters.Declared(id))
	}
	return page.Write(b, statisticsPage, map[string]any{
		"Counters": declared, "Mechanisms": counters.Groups(), "Metrics": replay.Declarations(),
	})
}
