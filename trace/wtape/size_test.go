// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/warptape/warptape/trace/info"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

func TestWorkloadsStayWithinTheirSize(t *testing.T) {
	for _, wl := range tracetest.Draw(t, testtraces.Workloads(), tracetest.Fewer(3, len(testtraces.Workloads()))) {
		data := testtraces.Encode(t, wl, wtape.Options{})
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", wl.Name, err)
		}
		if err := verification.Verify(r); err != nil {
			t.Errorf("%s: %v", wl.Name, err)
		}
		info, err := info.Gather(r)
		if err != nil {
			t.Fatalf("%s: %v", wl.Name, err)
		}
		size := fmt.Sprintf("%s: %d warp instructions, %.4f bytes each; raw columns %+v", wl.Name,
			info.Totals.WarpInstructions, info.BytesPerWarpInstruction, info.RawBytes)
		if info.BytesPerWarpInstruction > wl.Limit {
			t.Errorf("%s, want at most %g", size, wl.Limit)
		}
		t.Log(size)
	}
}
