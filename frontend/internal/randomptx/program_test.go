// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
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
	// A plain run ends when all have come, in some thirty programs of sixty.
	for seed := range uint64(60) {
		if seed > 3 && tracetest.Fewer(0, 1) == 0 && len(missing(drawn)) == 0 {
			break
		}
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
		if want := fmt.Sprintf("\n.reqnctapercluster %d, 1, 1\n", p.Cluster); strings.Contains(p.Text, want) != (p.Cluster > 0) {
			t.Errorf("seed %d: clusters of %d, and %t that the text has %q", seed, p.Cluster, p.Cluster == 0, want)
		}
		if seed < 3 && New(forms(t), o).Text != p.Text {
			t.Errorf("seed %d gave two programs", seed)
		}
	}
	if lacking := missing(drawn); len(lacking) > 0 {
		t.Errorf("no program has %s", strings.Join(lacking, ", "))
	}
}

// missing names the instructions that programs may have and that were not drawn.
func missing(drawn map[string]int) (names []string) {
	for _, op := range ptx.Opcodes() {
		if drawn[op.String()] == 0 && undrawn[op.String()] == "" {
			names = append(names, op.String())
		}
	}
	slices.Sort(names)
	return names
}
