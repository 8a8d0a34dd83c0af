// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"sync"

	"github.com/warptape/warptape/timing/counters"
)

// slotCounters are the names of the counters of issue slots, by cause.
var slotCounters = sync.OnceValue(func() []string {
	var names []string
	for c := range counters.CauseCount {
		names = append(names, counters.Declared(counters.Cause(c).Counter()).Name)
	}
	return names
})

// slotNames are the causes of issue slots in their order.
func slotNames() []string {
	names := make([]string, counters.CauseCount)
	for c := range names {
		names[c] = counters.Cause(c).String()
	}
	return names
}

// leftOut says how much of something a page does not have.
func leftOut(n int, why string) string { return fmt.Sprintf("Left out: %d, as %s.", n, why) }
