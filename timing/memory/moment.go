// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/clock"

// moment is the present of what lies behind the networks: of all partitions, or of one
// that runs apart from the others.
type moment struct {
	now   clock.Time // of the event in progress, or of the last one
	edges edges
	// The next times at which the L2 domain and the DRAM domain have something to do.
	l2Due, dramDue clock.Time
}
