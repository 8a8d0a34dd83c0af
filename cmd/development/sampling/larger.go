// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// larger has a line per larger run, machine and policy.
func larger(rows []samplingRow, machines []string) string {
	list := rowsAsked(rows, func(r *samplingRow) bool { return r.Set != "" })
	slices.SortStableFunc(list, func(a, b samplingRow) int {
		return cmp.Or(cmp.Compare(a.subject(), b.subject()), slices.Index(machines, a.Machine)-slices.Index(machines, b.Machine), cmp.Compare(a.Asked, b.Asked))
	})
	var b strings.Builder
	for i := range list {
		r := &list[i]
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %.1f | %s | %+.2f | %.1f | %.1f | %.1f |\n", r.subject(), r.Machine, r.Asked, r.StoredPercent, r.cell(true), r.energyError(), r.FullSeconds, r.Seconds, r.FullSeconds/max(r.Seconds, 1e-9))
	}
	return b.String()
}
