// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
)

// TestARestoredResultIsWrittenTheSame, in every form, on machines of several kinds.
func TestARestoredResultIsWrittenTheSame(t *testing.T) {
	r := replaytest.Recorded(t, "spmv")
	for _, spec := range []string{"gtx480", "mesh56", "v100", "gpsim-tiny"} {
		m := replaytest.Load(t, spec)
		want := replaytest.Run(t, r, replay.Options{Version: "1"}, m)
		text, err := json.Marshal(&want[0])
		if err != nil {
			t.Fatal(err)
		}
		got, err := replay.Restore(text, m)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		var a, b bytes.Buffer
		for _, w := range []struct {
			into *bytes.Buffer
			of   []replay.Result
		}{{&a, want}, {&b, []replay.Result{*got}}} {
			for _, err := range []error{replay.WriteTable(w.into, w.of), replay.WriteCSV(w.into, w.of), replay.WriteJSON(w.into, w.of), replay.WritePprof(w.into, &w.of[0])} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: the restored result is written otherwise:\n%s\n%s", spec, a.String(), b.String())
		}
		for _, change := range [][2]string{{`"stall_memory"`, `"stall_memories"`}, {`"ipc_warp"`, `"ipc_wrap"`}} {
			other := strings.ReplaceAll(string(text), change[0], change[1])
			if _, err := replay.Restore([]byte(other), m); other != string(text) && (err == nil || !strings.Contains(err.Error(), "of another version")) {
				t.Errorf("%s, %s: %v", spec, change[1], err)
			}
		}
	}
}
