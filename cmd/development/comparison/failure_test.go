// SPDX-License-Identifier: Apache-2.0

package comparison

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/validation"
)

// A comparison that cannot be made names what is missing, and writes no page and no figures.
func TestAComparisonThatFailsWritesNothing(t *testing.T) {
	for what, c := range map[string]struct {
		prepare func(root string) []string // gives the arguments
		code    int
		want    string
	}{
		"no program": {func(string) []string { return nil }, commandline.ExitFailed, validation.Program},
		"no folder for results": {func(root string) []string {
			taken := filepath.Join(root, "taken")
			if err := os.WriteFile(taken, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{"--results", filepath.Join(taken, "results")}
		}, commandline.ExitFailed, "taken"},
		"a word too many": {func(string) []string { return []string{"more"} }, commandline.ExitUsage, "more"},
	} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "docs"), 0o700); err != nil {
			t.Fatal(err)
		}
		measured := filepath.Join(root, "measured.csv")
		var out bytes.Buffer
		var errs bytes.Buffer
		app := &cli.App{Name: "test", Writer: &out, ErrWriter: &errs, Commands: []*cli.Command{Command()}}
		args := append([]string{"test", "validate", "--root", root, "--measured", measured}, c.prepare(root)...)
		if code := commandline.Run(t.Context(), app, args); code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: code %d, %q; want %d, %q", what, code, errs.String(), c.code, c.want)
		}
		for _, file := range []string{measured, filepath.Join(root, "docs", "validation.md")} {
			if _, err := os.Stat(file); err == nil {
				t.Errorf("%s: %s was written", what, file)
			}
		}
		if out.Len() > 0 {
			t.Errorf("%s: it wrote %q", what, out.String())
		}
	}
}
