// SPDX-License-Identifier: Apache-2.0

package host

import "github.com/warptape/warptape/frontend/emulator"

// recordingBytes is more than a recording keeps in memory in addition to the
// program's arrays and the device's buffers.
const recordingBytes = 1 << 30

// memory is how many bytes the process may take while a run lasts. Lists and strings
// of Starlark are not booked in the array.Space, and may take as much as the arrays.
func (r *run) memory() uint64 {
	return 2*r.options.MaxBytes + emulator.DefaultGlobalBytes + recordingBytes
}
