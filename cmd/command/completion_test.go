// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/store"
)

// TestCompletionKnowsNames of commands, flags, machines, overlays, workloads, studies,
// sweeps and stored traces.
func TestCompletionKnowsNames(t *testing.T) {
	t.Setenv(store.RootVariable, t.TempDir())
	good(t, "store", "add", "../../traces/recorded/spmv.wtape", "mine:v1")
	folder := sweptFolder(t)
	for _, c := range []struct {
		words string // the last one is completed
		want  []string
	}{
		{"repr", []string{"reproduce"}},
		{"results ex", []string{"export"}},
		{"replay --fu", []string{"--full", "--full-check"}},
		{"replay x.wtape --arch gtx480-r", []string{"gtx480-ref"}},
		{"replay x.wtape -a gtx480,v1", []string{"gtx480,v100"}},
		{"replay --arch=gtx480+lr", []string{"--arch=gtx480+lrr"}},
		{"replay --arch gtx480+buddy(members=4,sms=2)+lr", []string{"gtx480+buddy(members=4,sms=2)+lrr"}},
		{"arch show gtx480-r", []string{"gtx480-ref", filesToo}},
		{"record sgem", []string{"sgemm", filesToo}},
		{"record saxpy --size dem", []string{"demo"}},
		{"sweep --overlay non", []string{"none"}},
		{"reproduce tiny", []string{"tinycache"}},
		{"replay mi", []string{"mine:v1", filesToo}},
		{"push mi", []string{"mine:v1", filesToo}},
		{"store remove mi", []string{"mine:v1"}},
		{"results export " + folder + " --sweep l", []string{"l1"}},
		{"results export " + folder + " --format p", []string{"parquet"}},
		{"replay --json r", []string{filesToo}},
		{"completion z", []string{"zsh"}},
		{"replay --quiet --arch v10", []string{"v100"}},
	} {
		got := strings.Fields(good(t, append([]string{completeCommandName, "--"}, strings.Split(c.words, " ")...)...))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
	if got := good(t, completeCommandName, "--", ""); !strings.Contains(got, "replay\n") || strings.Contains(got, completeCommandName) {
		t.Errorf("commands: %s", got)
	}
}

// Without a word there is nothing to complete but commands.
func TestNoWordCompletesToNothingElseThanCommands(t *testing.T) {
	for _, args := range [][]string{{completeCommandName}, {completeCommandName, "--"}} {
		if out := good(t, args...); strings.Contains(out, "saxpy") {
			t.Errorf("%q: candidates are %q", args, out)
		}
	}
}

// TestShellsCompleteWithTheScripts: what a user of each shell would see.
func TestShellsCompleteWithTheScripts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The program is the test binary.
	folder := t.TempDir()
	program := write(t, filepath.Join(folder, "warptape"), "#!/bin/sh\n"+childVariable+"=1 exec '"+self+"' \"$@\"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	for shell, script := range map[string]string{
		"bash": `source SCRIPT; COMP_LINE="$LINE"; COMP_POINT=${#LINE}; _warptape; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `source SCRIPT; complete --do-complete "$LINE"`,
		// Without a terminal zsh completes nothing: the function sees the words as they are.
		"zsh": `compdef() { : }; compadd() { shift 2; print -l -- "$@" }; _files() { : }; source SCRIPT; words=("${(@s: :)LINE}"); CURRENT=${#words}; _warptape`,
	} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed: its script was not tried", shell)
			continue
		}
		file := write(t, filepath.Join(folder, shell), good(t, "completion", shell))
		for line, want := range map[string]string{
			"warptape reproduce tiny":         "tinycache",
			"warptape replay --arch gtx480-r": "gtx480-ref",
			"warptape record sgem":            "sgemm",
		} {
			c := exec.Command(path, "-c", strings.ReplaceAll(script, "SCRIPT", file))
			c.Env = append(os.Environ(), "LINE="+line, "PATH="+folder+":"+os.Getenv("PATH"), "HOME="+folder)
			out, err := c.CombinedOutput()
			if err != nil || !slices.Contains(strings.Fields(string(out)), want) {
				t.Errorf("%s, %q: %s, %v", shell, line, out, err)
			}
		}
	}
}

// TestManualPagesAreWritten for all commands, and have all flags.
func TestManualPagesAreWritten(t *testing.T) {
	folder := t.TempDir()
	good(t, "man", "--folder", folder)
	page, err := os.ReadFile(filepath.Join(folder, "warptape-replay.1"))
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != good(t, "man", "replay") {
		t.Error("man prints another page than it writes")
	}
	text := strings.ReplaceAll(string(page), `\-`, "-")
	for _, want := range []string{".TH", "warptape replay [OPTION...] FILE.wtape", "--watchdog", "CYCLES", "warptape replay saxpy.wtape --arch gtx480"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if first := good(t, "man"); !strings.Contains(strings.ReplaceAll(first, `\-`, "-"), "warptape-replay") {
		t.Errorf("the first page does not name the others:\n%s", first)
	}
	for _, name := range files(t, folder) {
		command := strings.TrimSuffix(strings.TrimPrefix(name, "warptape-"), ".1")
		if command != "warptape" && !strings.Contains(good(t, "--help"), command) {
			t.Errorf("%s is of no command", name)
		}
	}
	bad(t, 2, `no command "repaly"`, "man", "repaly")
}

// TestArchitecturesAreListedAsJSON.
func TestArchitecturesAreListedAsJSON(t *testing.T) {
	var list []entryJSON
	if err := json.Unmarshal([]byte(good(t, "arch", "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, e := range list {
		kinds[e.Name] = e.Kind
	}
	if kinds["gtx480"] != "machine" || kinds["lrr"] != "overlay" {
		t.Errorf("%v", kinds)
	}
	var m struct{ SM struct{ Scheduler string } }
	if err := json.Unmarshal([]byte(good(t, "arch", "show", "gtx480+lrr", "--json")), &m); err != nil || m.SM.Scheduler != "lrr" {
		t.Errorf("%+v, %v", m, err)
	}
	if out := good(t, "arch", "show", "buddy", "--json"); !json.Valid([]byte(out)) || !strings.Contains(out, "members") {
		t.Errorf("an overlay: %s", out)
	}
}
