// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// outcome is what one command line did.
type outcome struct {
	code           int
	stdout, stderr string
}

func warptape(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), append([]string{"warptape"}, args...), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// good runs a command line that must succeed and must be quiet on stderr, as
// it always is in a pipe.
func good(t *testing.T, args ...string) string {
	t.Helper()
	o := warptape(t, args...)
	if o.code != commandline.ExitOK || o.stderr != "" {
		t.Fatalf("warptape %s: exit code %d, stderr:\n%s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

// bad runs a command line that must fail with a code and say something.
func bad(t *testing.T, code int, message string, args ...string) {
	t.Helper()
	o := warptape(t, args...)
	if o.code != code {
		t.Errorf("warptape %s: exit code %d, want %d; stderr:\n%s", strings.Join(args, " "), o.code, code, o.stderr)
	}
	if !strings.Contains(o.stderr, message) {
		t.Errorf("warptape %s: stderr does not say %q:\n%s", strings.Join(args, " "), message, o.stderr)
	}
	if strings.Contains(o.stderr, "goroutine ") {
		t.Errorf("warptape %s: panicked:\n%s", strings.Join(args, " "), o.stderr)
	}
}

// files lists a folder, to show that nothing was left behind.
func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWrongCommandLinesExitWithTwo(t *testing.T) {
	for _, c := range []struct {
		message string
		args    []string
	}{
		{`no command "recrod"`, []string{"recrod"}},
		{`no command "shwo" of arch`, []string{"arch", "shwo"}},
		{"no flag --colour", []string{"demo", "--colour"}},
		{"no flag --archh; did you mean --arch?", []string{"replay", "a.wtape", "--archh", "gtx480"}},
		{"flag --json needs a value", []string{"replay", "a.wtape", "--json"}},
		{"flag -a needs a value", []string{"replay", "a.wtape", "-a"}},
		{"missing argument WORKLOAD|PROGRAM.star", []string{"record"}},
		{`unexpected argument "sgemm"`, []string{"record", "saxpy", "sgemm"}},
		{`no workload "saxpi"`, []string{"record", "saxpi"}},
		{`--set "n"`, []string{"record", "saxpy", "--set", "n"}},
		{`--level "best"`, []string{"record", "saxpy", "--level", "best"}},
		{"at least one architecture", []string{"replay", "x.wtape"}},
		{"missing argument FILE.wtape", []string{"replay", "--arch", "gtx480"}},
		{"--workers -1", []string{"replay", "x.wtape", "--arch", "gtx480", "--workers", "-1"}},
		{"missing argument FILE.ptx", []string{"ptx", "check"}},
		{`no completion for shell "tcsh"`, []string{"completion", "tcsh"}},
	} {
		bad(t, commandline.ExitUsage, c.message, c.args...)
	}
}

func TestEveryCommandHasHelpWithExamples(t *testing.T) {
	var walk func(path string, commands []*cli.Command)
	walk = func(path string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden || c.Name == "help" {
				continue
			}
			if len(c.Subcommands) > 0 {
				walk(path+" "+c.Name, c.Subcommands)
				continue
			}
			if c.Usage == "" || !strings.Contains(c.Description, "Examples:\n") || !strings.Contains(c.Description, "warptape") {
				t.Errorf("%s %s: no usage line or no examples", path, c.Name)
			}
			args := append(strings.Fields(path + " " + c.Name)[1:], "--help")
			if out := good(t, args...); !strings.Contains(out, "Examples:") {
				t.Errorf("%s %s --help does not show the examples", path, c.Name)
			}
		}
	}
	walk("warptape", newApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands)
}

func TestFlagsMayFollowArguments(t *testing.T) {
	app := newApp(&bytes.Buffer{}, &bytes.Buffer{})
	got := commandline.Interspersed(app, strings.Fields("warptape replay a.wtape --arch gtx480 -q --arch=mesh56 --json r.json"))
	want := "warptape replay --arch gtx480 -q --arch=mesh56 --json r.json a.wtape"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	got = commandline.Interspersed(app, strings.Fields("warptape trace dump -- -odd.wtape"))
	if want := "warptape trace dump -- -odd.wtape"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestCompletionScriptsNameTheProgram(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out := good(t, "completion", shell); !strings.Contains(out, "warptape") {
			t.Errorf("%s: %q", shell, out)
		}
	}
	// The library looks at the process's own arguments to complete flags.
	own := os.Args
	defer func() { os.Args = own }()
	os.Args = []string{"warptape", "--generate-bash-completion"}
	if out := good(t, "--generate-bash-completion"); !strings.Contains(out, "record") || !strings.Contains(out, "replay") {
		t.Errorf("candidates: %q", out)
	}
}

func TestDemoRunsTheWholeJob(t *testing.T) {
	folder := t.TempDir()
	out := good(t, "demo", "--size", "tiny", "--keep", folder)
	for _, name := range demoWorkloads {
		if !strings.Contains(out, "== "+name+":") {
			t.Errorf("the demo does not show %s", name)
		}
		good(t, "trace", "verify", filepath.Join(folder, name+".wtape"))
	}
	_, totals, _ := strings.Cut(out, "\nrecorded ")
	var recorded, replayed uint64
	if _, err := fmt.Sscanf(strings.ReplaceAll(totals, ",", ""), "%d and replayed %d warp instructions", &recorded, &replayed); err != nil || recorded == 0 || replayed != recorded*uint64(len(demoMachines)) {
		t.Errorf("%d instructions recorded, %d replayed on %d machines: %v", recorded, replayed, len(demoMachines), err)
	}
	// It ends with a table of all workloads on all machines that fits a terminal.
	_, table, _ := strings.Cut(out, "\ntime [us]")
	lines := strings.Split(table, "\n")
	for i, line := range lines[:1+len(demoWorkloads)] {
		if cells := strings.Fields(line); i > 0 && (cells[0] != demoWorkloads[i-1] || len(cells) != 2*len(demoMachines)) || len(line) > 80 {
			t.Errorf("row %d of the table: %q", i, line)
		}
	}
}
