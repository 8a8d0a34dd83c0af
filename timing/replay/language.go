// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// foreignKernel warns that a machine replays a kernel of the Tesla-like GPGPU in a memory
// that is not the kernel's: there, all thread blocks of a multiprocessor share one.
func foreignKernel(k *trace.Kernel, m *arch.Machine) []string {
	kind, err := core.Of(m)
	if err != nil || k.Tesla == nil || kind.TeslaLanguage {
		return nil
	}
	return []string{fmt.Sprintf("kernel %s is in the language of the Tesla-like GPGPU: %s replays its path and addresses, each thread block in a shared memory of its own; the hardware has one for each multiprocessor",
		k.Name, m.Name)}
}
