// SPDX-License-Identifier: Apache-2.0

package verification

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

func TestVerifyFindsAPathAgainstTheControlFlow(t *testing.T) {
	for name, path := range map[string][]uint32{
		"lanes ffffffff go from the start to basic block 1":     {1, 2},
		"lanes ffffffff go from basic block 2 to basic block 0": {0, 2, 0, 2},
		"lanes ffffffff go from basic block 1 to basic block 1": {0, 1, 1, 2},
		"which does not follow it in kernel \"saxpy\"":          {2},
		"lanes ffffffff execute nothing":                        {},
	} {
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "bad", trace.Header{}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.AddKernel(testtraces.SaxpyKernel())
		w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
		w.BeginBlock(0)
		for _, id := range path {
			w.Visit(0, id, testtraces.AllLanes)
			for range len(content.NewPlan(testtraces.SaxpyKernel()).Blocks[id].Accesses) {
				w.AccessStrided(0, testtraces.AllLanes, 0, 4)
			}
		}
		if err := errors.Join(w.EndBlock(), w.EndLaunch(), w.Finish()); err != nil {
			t.Fatal(err)
		}
		err = Verify(testtraces.Open(t, out.Bytes()))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("path %v: got %v, want ...%s...", path, err, name)
		}
	}
}
