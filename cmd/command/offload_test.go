// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// TestTheDocumentedChainsAreThoseOfTheWorkloads runs the commands of the document.
func TestTheDocumentedChainsAreThoseOfTheWorkloads(t *testing.T) {
	text, err := os.ReadFile("../../docs/offload.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "```text\n$ warptape offload "
	examples := strings.Split(string(text), command)[1:]
	if len(examples) < 3 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		workload, rest, _ := strings.Cut(example, ".wtape\n")
		want, _, _ := strings.Cut(rest, "```")
		if got := good(t, "offload", recordedTiny(t, workload)); got != want {
			t.Errorf("%s: the document has\n%s\nthe command prints\n%s", workload, want, got)
		}
	}
}

func TestChainsAsJSONNameLinesAndShares(t *testing.T) {
	var reports []chainReport
	if err := json.Unmarshal([]byte(good(t, "offload", recordedTiny(t, "triad"), "--json")), &reports); err != nil {
		t.Fatal(err)
	}
	if len(reports) != 1 || len(reports[0].Chains) != 1 || reports[0].Chains[0].Pattern != 9 || len(reports[0].Chains[0].Lines) != 4 {
		t.Errorf("%+v", reports)
	}
}

func TestAKernelThatFillsSharedMemoryIsNotOffloaded(t *testing.T) {
	path := recordedTiny(t, "reduction")
	out := good(t, "offload", path, "--queue", "192") // 48 KiB: all that there is
	if !strings.Contains(out, "not offloaded: thread blocks use") {
		t.Errorf("got\n%s", out)
	}
}

func TestOffloadRefusesWhatItCannotLookAt(t *testing.T) {
	path := recordedTiny(t, "triad")
	bad(t, commandline.ExitUsage, "a service queue has at least one entry", "offload", path, "--queue", "0")
	bad(t, commandline.ExitFailed, "no-such-machine", "offload", path, "--arch", "no-such-machine")
	bad(t, commandline.ExitUsage, "missing argument FILE.wtape", "offload")
	bad(t, commandline.ExitFailed, "none.wtape", "offload", "none.wtape")
}
