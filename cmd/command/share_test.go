// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/store/registrytest"
	"github.com/warptape/warptape/trace/tracetest"
)

const recordedSaxpy = "../../traces/recorded/saxpy.wtape"

// ownStore gives the test a store and a home of its own.
func ownStore(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "store")
	t.Setenv("WARPTAPE_STORE", root)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	return root
}

func sameFile(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ", a, b)
	}
}

func TestPulledTraceReplaysWithoutTheRegistry(t *testing.T) {
	tracetest.Nightly(t)
	ownStore(t)
	server := registrytest.Start(t, false)
	ref := server.Host + "/team/saxpy:v1"
	out := good(t, "push", recordedSaxpy, ref)
	_, digest, ok := strings.Cut(out, server.Host+"/team/saxpy@sha256:")
	if !ok {
		t.Fatalf("push does not say the digest:\n%s", out)
	}
	manifest := strings.TrimSpace(digest)
	// The other side.
	ownStore(t)
	copied := filepath.Join(t.TempDir(), "copy.wtape")
	if out := good(t, "pull", ref, "-o", copied); !strings.Contains(out, "verified") {
		t.Errorf("pull says:\n%s", out)
	}
	sameFile(t, copied, recordedSaxpy)
	server.Stop()
	want := good(t, "replay", recordedSaxpy, "--arch", "gtx480")
	if got := good(t, "replay", ref, "--arch", "gtx480"); got != want {
		t.Errorf("replay %s gives another table:\n%s", ref, got)
	}
	for _, name := range []string{ref, "saxpy:v1", "team/saxpy:v1", "saxpy@sha256:" + manifest, "sha256:" + manifest[:12]} {
		good(t, "trace", "verify", name)
		good(t, "trace", "diff", name, recordedSaxpy)
	}
	bad(t, commandline.ExitFailed, "cannot be reached", "pull", ref)
}

func TestEveryCommandTakesStoredTraces(t *testing.T) {
	ownStore(t)
	good(t, "store", "add", recordedSaxpy, "saxpy:v1")
	merged := filepath.Join(t.TempDir(), "merged.wtape")
	good(t, "trace", "info", "saxpy:v1")
	good(t, "trace", "stats", "saxpy:v1")
	good(t, "trace", "dump", "saxpy:v1", "--block", "0", "--warp", "0")
	good(t, "trace", "merge", "saxpy:v1", recordedSaxpy, "-o", merged)
	good(t, "trace", "slice", "saxpy:v1", "--blocks", "0-3", "-o", filepath.Join(t.TempDir(), "slice.wtape"))
	good(t, "store", "verify", "saxpy:v1")
}

func TestProgramsOfMergedTracesDoNotFillTheScreen(t *testing.T) {
	for program, want := range map[string]string{
		"":                          "",
		strings.Repeat("é", 40):     strings.Repeat("é", 40),
		strings.Repeat("bfs + ", 9): "bfs + bfs + bfs + bfs + bfs + bfs + b...",
	} {
		if got := shortened(program); got != want {
			t.Errorf("%q gives %q", program, got)
		}
	}
}

func TestFileWinsOverTheStore(t *testing.T) {
	ownStore(t)
	good(t, "store", "add", "../../traces/recorded/spmv.wtape", "saxpy.wtape")
	t.Chdir("../../traces/recorded")
	if out := good(t, "trace", "info", "saxpy.wtape"); !strings.Contains(out, "saxpy.ptx") {
		t.Errorf("not the file:\n%s", out)
	}
}

func TestMissingTraceSaysWhereItWasSoughtAndWhatHelps(t *testing.T) {
	root := ownStore(t)
	for name, remedy := range map[string]string{
		"registry.example.org/team/saxpy:v1": "warptape pull registry.example.org/team/saxpy:v1",
		"mine:v1":                            "warptape pull REGISTRY/mine:v1",
		"sgemm":                              "warptape record sgemm",
		"sgemm.wtape":                        "warptape record sgemm",
	} {
		for _, command := range [][]string{{"replay", name, "--arch", "gtx480"}, {"trace", "info", name}, {"trace", "diff", name, name}, {"push", name, "localhost:1/x"}} {
			bad(t, commandline.ExitFailed, name+": no such file", command...)
			bad(t, commandline.ExitFailed, "store "+root, command...)
			bad(t, commandline.ExitFailed, remedy, command...)
		}
	}
	bad(t, commandline.ExitFailed, "[REGISTRY/]NAME[:TAG]", "trace", "info", "Some File.wtape")
	if _, err := os.Stat(root); err == nil {
		t.Error("looking for a trace made the store")
	}
}

func TestRecordingGoesToTheStore(t *testing.T) {
	root := ownStore(t)
	t.Chdir(t.TempDir())
	if out := good(t, "record", "saxpy", "--size", "tiny", "--store", "mine:tiny"); !strings.Contains(out, "mine:tiny: ") {
		t.Errorf("record says:\n%s", out)
	}
	if left := files(t, "."); len(left) != 0 {
		t.Errorf("left in the working folder: %v", left)
	}
	good(t, "trace", "verify", "mine:tiny")
	good(t, "record", "saxpy", "--size", "tiny", "--store", "both", "-o", "both.wtape")
	sameFile(t, "both.wtape", strings.TrimSpace(good(t, "store", "path", "both")))
	bad(t, commandline.ExitUsage, "--store", "record", "saxpy", "--store", "Bad Name")
	bad(t, commandline.ExitFailed, "", "record", "saxpy", "--set", "n=-1", "--store", "failed")
	if left := files(t, filepath.Join(root, "incoming")); len(left) != 0 {
		t.Errorf("left in the store: %v", left)
	}
}

func TestStoreIsManagedFromTheCommandLine(t *testing.T) {
	root := ownStore(t)
	if out := good(t, "store", "list", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("an empty store lists %s", out)
	}
	good(t, "store", "gc")
	good(t, "store", "add", recordedSaxpy)
	good(t, "store", "add", recordedSaxpy, "saxpy:v1")
	good(t, "store", "add", "../../traces/recorded/spmv.wtape", "registry.example.org/team/spmv:v1")
	var list []struct {
		Digest string   `json:"content_digest"`
		Tags   []string `json:"tags"`
	}
	if err := json.Unmarshal([]byte(good(t, "store", "list", "--json")), &list); err != nil || len(list) != 2 || len(list[1].Tags) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	out := good(t, "store", "list")
	for _, text := range []string{"saxpy:latest", "saxpy:v1", "registry.example.org/team/spmv:v1", list[0].Digest[:12], "2 traces", root} {
		if !strings.Contains(out, text) {
			t.Errorf("the list lacks %q:\n%s", text, out)
		}
	}
	if out := good(t, "store", "path"); out != root+"\n" {
		t.Errorf("path: %q", out)
	}
	good(t, "store", "gc", "--unused-for", "0d")
	good(t, "store", "gc", "--max-size", "0", "--tagged", "--dry-run")
	good(t, "store", "verify")
	good(t, "store", "remove", "saxpy:v1")
	bad(t, commandline.ExitFailed, "saxpy:latest", "store", "remove", "sha256:"+list[1].Digest)
	if out := good(t, "store", "gc", "--max-size", "0B", "--tagged"); !strings.Contains(out, "0 traces") {
		t.Errorf("gc says:\n%s", out)
	}
	if err := os.WriteFile(filepath.Join(root, "objects", "sha256", "stray"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	bad(t, commandline.ExitFailed, "stray: does not belong", "store", "verify")
	if o := warptape(t, "store", "list"); o.code != commandline.ExitOK || !strings.Contains(o.stderr, "stray") {
		t.Errorf("%+v", o)
	}
}

func TestWrongSharingCommandLinesExitWithTwo(t *testing.T) {
	ownStore(t)
	for _, args := range [][]string{
		{"push", recordedSaxpy}, {"push", recordedSaxpy, "Bad"}, {"push", recordedSaxpy, "localhost:1/x", "--part-size", "1B"},
		{"push", recordedSaxpy, "localhost:1/x", "--part-size", ""},
		{"pull"}, {"pull", "Bad"}, {"pull", "localhost:1/x", "y"},
		{"store", "add"}, {"store", "add", recordedSaxpy, "Bad"}, {"store", "add", recordedSaxpy, "x@sha256:01234567"},
		{"store", "gc", "--unused-for", "old"}, {"store", "gc", "--unused-for", "-1h"}, {"store", "gc", "--max-size", "big"}, {"store", "gc", "--max-size", "-1"},
		{"store", "remove"}, {"store", "path", "Bad"}, {"store", "list", "x"},
	} {
		bad(t, commandline.ExitUsage, "", args...)
	}
	bad(t, commandline.ExitFailed, "names no registry", "pull", "saxpy:v1")
}

func TestSizesAndAgesAreRead(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "12": 12, "1kB": 1000, "1.5GiB": 3 << 29, "20GB": 20e9, "7 MB": 7e6} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GB", "1XB", "-1", "1e30", "NaN", "inf", "1GBGB", "0x"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q reads as %d", text, got)
		}
	}
	for text, want := range map[string]time.Duration{"0d": 0, "30d": 720 * time.Hour, "2w": 336 * time.Hour, "12h30m": 750 * time.Minute} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "99999999999d", "200000w", "-2h", "x"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("%q reads as %v", text, got)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1164622: "1.2 MB", 5e12: "5.0 TB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
