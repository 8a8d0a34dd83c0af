// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// A kernel in the language of the Tesla-like GPGPU runs on cores of another kind unless it depends on the hardware on
// which it was recorded. Cores of its own language run it in any case.
func TestKernelsThatDependOnTheirHardwareAreRefusedElsewhere(t *testing.T) {
	depends := &trace.Tesla{Dependences: []trace.TeslaDependence{{On: trace.TeslaTiming, Reason: "two warps write one word"}}}
	for _, c := range []struct {
		tesla   *trace.Tesla
		speaks  bool
		refused bool
	}{{nil, false, false}, {nil, true, false}, {new(trace.Tesla), false, false}, {new(trace.Tesla), true, false}, {depends, false, true}, {depends, true, false}} {
		g := &GPU{machine: gputest.Machine(), kind: core.Kind{TeslaLanguage: c.speaks}}
		err := g.checkLanguage(&trace.Kernel{Name: "racing", Tesla: c.tesla})
		if (err != nil) != c.refused {
			t.Errorf("%+v: got %v", c, err)
		}
		for _, words := range []string{"racing", "two warps write one word", "tesla-rtl"} {
			if err != nil && !strings.Contains(err.Error(), words) {
				t.Errorf("%v does not say %q", err, words)
			}
		}
	}
}
