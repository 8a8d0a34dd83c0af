// SPDX-License-Identifier: Apache-2.0

package chains

import "github.com/warptape/warptape/trace"

// OperandsPerEntry is the loads of a chain at most, each a line of 32 lanes, for
// which an entry of a core's service queue has room in shared memory.
const OperandsPerEntry = 2

// Room reports whether the shared memory of a core has room for the operands of
// a service queue in addition to what its thread blocks use. A kernel that leaves none is
// not offloaded (section 4.5).
func Room(shared, used, entries int) bool {
	return used+entries*OperandsPerEntry*trace.LineBytes <= shared
}
