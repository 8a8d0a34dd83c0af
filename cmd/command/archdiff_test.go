// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestArchDiffPrintsWhatDiffers(t *testing.T) {
	out := good(t, "arch", "diff", "gtx480", "gtx480+two-level")
	if !strings.Contains(out, "sm.scheduler_warps") || strings.Contains(out, "l1.bytes") {
		t.Errorf("got\n%s", out)
	}
	bad(t, commandline.ExitUsage, "missing argument MACHINE", "arch", "diff", "gtx480")
	bad(t, commandline.ExitFailed, "did you mean gtx480?", "arch", "diff", "gtx480", "gtx481")
}
