// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/results"
)

// A folder with a fault fails, as text and as JSON; one without does not.
func TestFoldersWithFaultsFail(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		for _, faults := range [][]results.Fault{nil, {{Path: "points/x.json", Problem: "it is empty"}}} {
			var out, errs bytes.Buffer
			set := flag.NewFlagSet("check", flag.ContinueOnError)
			set.Bool("json", asJSON, "")
			done := &results.Checked{Points: 3, Failures: 2, Sweeps: 1, Traces: 4, Faults: faults}
			err := writeChecked(cli.NewContext(&cli.App{Writer: &out, ErrWriter: &errs}, set, nil), done)
			if errors.Is(err, errResultsFaulty) != (len(faults) > 0) || err != nil && len(faults) == 0 {
				t.Errorf("JSON %v, %d faults: %v", asJSON, len(faults), err)
			}
			var read results.Checked
			switch {
			case asJSON:
				if err := json.Unmarshal(out.Bytes(), &read); err != nil || read.Points != 3 || len(read.Faults) != len(faults) || errs.Len() > 0 {
					t.Errorf("JSON: %v, %s", err, out.String())
				}
			case !strings.HasPrefix(out.String(), "results 3, failures 2, sweeps 1, traces 4: faults "), (errs.String() == "warptape: points/x.json: it is empty\n") != (len(faults) > 0):
				t.Errorf("%d faults: %s%s", len(faults), out.String(), errs.String())
			}
		}
	}
}
