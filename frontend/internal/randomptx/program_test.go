// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func forms(t *testing.T) *Forms {
	t.Helper()
	text, err := os.ReadFile("../../ptx/testdata/table/every-form.ptx")
	if err != nil {
		t.Fatal(err)
	}
	return ReadForms(string(text))
}

// undrawn are the mnemonics that no program has, and why.
var undrawn = map[string]string{
	"brkpt":      "ends nothing and does nothing",
	"ret":        "ends each program",
	"setmaxnreg": "a warpgroup executes it together",
	"tensormap":  "needs a tensor map; TestCopiesByChangedTensorMapsAreRecordedAlike",
	"wgmma":      "needs factors in shared memory; TestProductsOfWarpgroupsAreRecordedAlike",
}

// Programs parse, are functions of their seeds, and have all mnemonics of the table among them.
func TestProgramsHaveAllInstructions(t *testing.T) {
	list := forms(t)
	drawn := map[string]int{}
	for seed := range uint64(60) {
		o := Options{Seed: seed, Statements: 120}
		p := New(list, o)
		m, err := ptx.Parse("drawn.ptx", []byte(p.Text))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, k := range m.Kernels {
			for i := range k.Body {
				drawn[k.Body[i].Op.String()]++
			}
		}
		if seed < 3 && New(forms(t), o).Text != p.Text {
			t.Errorf("seed %d gave two programs", seed)
		}
	}
	var missing []string
	for _, op := range ptx.Opcodes() {
		if drawn[op.String()] == 0 && undrawn[op.String()] == "" {
			missing = append(missing, op.String())
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		t.Errorf("no program has %s", strings.Join(missing, ", "))
	}
}
