// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

func TestNoWorkloadRacesOrReadsUninitialisedSharedMemory(t *testing.T) {
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(2, 6)) {
		p, err := host.Load(w.Files, w.Program)
		if err != nil {
			t.Fatal(err)
		}
		o := host.Options{Size: "tiny", Seed: 1, CheckRaces: true, CheckShared: true}
		// Threads outside the image sum up what no thread has written, and store nothing.
		o.CheckShared = w.Name != "convolution-variants"
		if w.Name == "tpacf" {
			o.Set = map[string]string{"points": "40"} // the work grows with the square
		}
		if _, err := p.Run(context.Background(), o); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
}
