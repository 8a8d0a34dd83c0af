// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

// checkLanguage refuses a kernel in the language of the Tesla-like GPGPU that would do
// something else on cores of another kind. Such a kernel depends on the rows, the warps
// or the timing of the hardware on which it was recorded.
func (g *GPU) checkLanguage(k *trace.Kernel) error {
	if k.Tesla == nil || g.kind.TeslaLanguage || len(k.Tesla.Dependences) == 0 {
		return nil
	}
	d := &k.Tesla.Dependences[0]
	return fmt.Errorf("%s: kernel %s depends on %s: %s; it was recorded for the Tesla-like GPGPU, and would do something else here: replay it on tesla-rtl",
		g.machine.Name, k.Name, d.On, d.Reason)
}
