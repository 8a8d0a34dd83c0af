// SPDX-License-Identifier: Apache-2.0

package energypages

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

func TestEnergyTablesHaveEveryWorkloadAsItIs(t *testing.T) {
	var rows []energyTableRow
	if err := json.Unmarshal(energyTablesJSON, &rows); err != nil {
		t.Fatal(err)
	}
	i := 0
	for _, w := range traces.List() {
		digest, err := w.Digest()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range energyTableMachines {
			if i == len(rows) || rows[i].Workload != w.Name || rows[i].Machine != m || rows[i].Digest != digest {
				t.Fatalf("%s is stale at %s on %s: run 'make energy-tables' and commit the result", energyTablesFile, w.Name, m)
			}
			i++
		}
	}
}

// The dearest parts of a few short runs, so that prices and activity that have
// changed are seen.
func TestEnergyTablesArePricedByThePresentModel(t *testing.T) {
	tracetest.Nightly(t)
	var rows []energyTableRow
	if err := json.Unmarshal(energyTablesJSON, &rows); err != nil {
		t.Fatal(err)
	}
	machines, err := machineset.Load(energyTableMachines)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tracetest.Draw(t, []string{"divergence-nested", "scalar-product", "tensor-gemm"}, 1) {
		w, err := traces.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := energyTableRows(w, machines)
		if err != nil {
			t.Fatal(err)
		}
		var have []energyTableRow
		for _, r := range rows {
			if r.Workload == name {
				have = append(have, r)
			}
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s is stale at %s (-now +committed): run 'make energy-tables' and commit the result\n%s", energyTablesFile, name, diff)
		}
	}
}
