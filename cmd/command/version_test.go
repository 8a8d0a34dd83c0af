// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestVersionNamesFormatsAndLibraries(t *testing.T) {
	var b build
	if err := json.Unmarshal([]byte(good(t, "version", "--json")), &b); err != nil {
		t.Fatal(err)
	}
	if b.Go != runtime.Version() || b.TraceFormat < 3 || b.ResultsSchema < 1 || b.Version == "" {
		t.Errorf("%+v", b)
	}
	text := good(t, "version", "--modules")
	for _, m := range b.Modules {
		if !strings.Contains(text, m.Path) {
			t.Errorf("--modules lacks %s:\n%s", m.Path, text)
		}
	}
	if !strings.Contains(good(t, "version"), "trace files") {
		t.Error("the text does not say which trace files it reads")
	}
	bad(t, commandline.ExitUsage, "takes no arguments", "version", "now")
}
