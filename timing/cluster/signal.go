// SPDX-License-Identifier: Apache-2.0

package cluster

import "github.com/warptape/warptape/timing/mbarrier"

// Signal is what happens to an mbarrier in the shared memory of another thread block.
type Signal struct {
	Place  uint64 // in that thread block's shared memory
	Change mbarrier.Change
	// Forget says that something has happened to an mbarrier that is not known.
	Forget bool
}
