// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/tracetest/heap"
)

// childVariable makes the test binary be the command itself.
const childVariable = "WARPTAPE_TEST_CHILD"

// afterTests are run when all tests have ended.
var afterTests []func()

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		heap.Usual()
		os.Exit(Main(os.Args, os.Stdout, os.Stderr))
	}
	code := m.Run()
	for _, end := range afterTests {
		end()
	}
	os.Exit(code)
}

// child is a process of the command line. Addresses limits its address space, in KiB;
// empty is without limit.
func child(t *testing.T, addresses string, args ...string) *exec.Cmd {
	t.Helper()
	return childFor(t, 5*time.Minute, addresses, args...)
}

// childFor is a child that is killed when it has not ended after some time.
func childFor(t *testing.T, limit time.Duration, addresses string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("limits and signals are those of Linux")
	}
	if raceDetector && addresses != "" {
		t.Skip("the race detector needs more addresses than the limit leaves")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored here")
	}
	script := `exec "$0" "$@"`
	if addresses != "" {
		script = "ulimit -v " + addresses + "; " + script
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", script, self}, args...)...)
	c.Env = append(os.Environ(), childVariable+"=1")
	return c
}

// ended runs a child and gives its exit code and what it said; it may not have
// panicked.
func ended(t *testing.T, c *exec.Cmd) (code int, said string) {
	t.Helper()
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("goroutine ")) || bytes.Contains(out, []byte("fatal error")) {
		t.Fatalf("%v: a dump:\n%.2000s", c.Args[4:], out)
	}
	return c.ProcessState.ExitCode(), string(out)
}

func TestCommandsWorkWithFourGigabytesOfAddresses(t *testing.T) {
	tracetest.Nightly(t)
	out := filepath.Join(t.TempDir(), "out.wtape")
	for _, args := range [][]string{
		{"--version"}, {"arch", "list"},
		{"replay", "../../traces/recorded/saxpy.wtape", "--arch", "gtx480"},
		{"record", "saxpy", "--size", "tiny", "-o", out},
	} {
		if code, said := ended(t, child(t, "4000000", args...)); code != 0 || strings.Contains(said, "allocate") {
			t.Errorf("%v: exit code %d, %s", args, code, said)
		}
	}
}

// What each of these does in one step, or in few, takes all memory, or for ever.
var greedy = map[string]string{
	"sorted range":     "sorted(range(1<<40))",
	"doubled string":   "s = 'x'\n    while True: s = s + s",
	"appended string":  "s = 'x'\n    while True: s += s",
	"doubled list":     "l = [1]\n    while True: l = l + l",
	"appended list":    "l = [1]\n    while True: l += l",
	"appended range":   "l = []\n    l += range(1<<40)",
	"repeated list":    "l = [0] * (1<<29)\n    print(len(l))",
	"repeated element": "d = {'a': [0]}\n    while True: d['a'] *= 1000",
	"deep print":       "l = []\n    for i in range(1000000): l = [l]\n    print(l)",
	"deep fail":        "l = []\n    for i in range(3000000): l = [l]\n    fail(l)",
	"deep key":         "t = ()\n    for i in range(5000000): t = (t,)\n    d = {t: 1}\n    print('no')",
	"deep missing key": "t = ()\n    for i in range(3000000): t = (t,)\n    {}[t]",
	"struct cycle":     "l = []\n    s = struct(x = l)\n    l.append(s)\n    print(s)",
	"squares":          "x = 3\n    while True: x = x * x",
	"shifts":           "x = 1\n    while True: x = x << 500",
	"replace":          "s = 'a' * 100000\n    while True: s = s.replace('a', s)",
	"join":             "s = 'a' * 1000\n    while True: s = s.join([s] * 1000)",
	"interpolation":    "s = 'a' * 1000\n    while True: s = ('%s' * 1000) % ((s,) * 1000)",
	"format":           "s = 'a' * 1000\n    while True: s = ('{0}' * 1000).format(s)",
	"extend":           "[].extend(range(1<<40))",
	"extend by name":   "getattr([], 'extend')(range(1<<40))",
	"arguments":        "print(*range(1<<40))",
	"all":              "all(range(1, 1<<40))",
	"union":            "set([1]).union(range(1<<40))",
	"split":            "s = ',' * (1<<29)\n    print(len(s.split(',')))",
	"zip":              "list(zip(range(1<<40), range(1<<40)))",
	"strings":          "l = []\n    while True: l.append('x' * 1000000)",
}

func TestGreedyHostProgramsEndWithTheirPlace(t *testing.T) {
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(greedy)), tracetest.Fewer(1, 6)) {
		body := greedy[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := write(t, filepath.Join(dir, "k.star"), "def main(p):\n    "+body+"\n")
			start := time.Now()
			c := child(t, "3000000", "record", program, "-o", filepath.Join(dir, "k.wtape"))
			if start.UnixNano()%2 == 0 {
				c.Env = append(c.Env, "GOMAXPROCS=1")
			}
			code, said := ended(t, c)
			if code != commandline.ExitFailed || !strings.Contains(said, "k.star:") {
				t.Errorf("exit code %d after %v: %.500s", code, time.Since(start), said)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// endlessComparison is a step of some 20 s that nothing looks into: two lists of half a million
// strings of a million bytes each, equal but not the same.
const endlessComparison = `def main(p):
    n = 1 << 20
    a = ["x" * n] * (n // 2)
    b = ["x" * (n - 1) + "x"] * (n // 2)
    print("ready")
    print(a == b)
`

// started runs a child until it says "ready" on standard error. Wait reads what the
// child says after that.
func started(t *testing.T, c *exec.Cmd) (said io.Reader) {
	t.Helper()
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	for ready := make([]byte, 0, 64); !bytes.Contains(ready, []byte("ready")); {
		b := make([]byte, 1)
		if _, err := pipe.Read(b); err != nil {
			t.Fatalf("%v after %q", err, ready)
		}
		ready = append(ready, b...)
	}
	return pipe
}

func TestFirstInterruptEndsAStepThatDoesNot(t *testing.T) {
	dir := t.TempDir()
	program := write(t, filepath.Join(dir, "k.star"), endlessComparison)
	c := child(t, "", "record", program, "-o", filepath.Join(dir, "k.wtape"))
	pipe := started(t, c)
	time.Sleep(100 * time.Millisecond)
	c.Process.Signal(os.Interrupt)
	rest, _ := io.ReadAll(pipe)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != commandline.ExitFailed || !bytes.Contains(rest, []byte("interrupted")) {
		t.Errorf("exit code %d: %s", code, rest)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The test does not read what the child says, so that it cannot end by itself.
func TestSecondInterruptEndsTheProcessAtOnce(t *testing.T) {
	dir := t.TempDir()
	program := write(t, filepath.Join(dir, "k.star"), "def main(p):\n    print('ready')\n    for i in range(1000): print('x' * 100000)\n")
	out := filepath.Join(dir, "k.wtape")
	c := child(t, "", "record", program, "-o", out)
	started(t, c)
	time.Sleep(100 * time.Millisecond)
	c.Process.Signal(os.Interrupt)
	done := make(chan struct{})
	go func() { c.Process.Wait(); close(done) }()
	// Two that come before the process runs are one, so that it may take a third.
	for again, ended := 0, false; !ended; again++ {
		select {
		case <-done:
			ended = true
		case <-time.After(time.Second):
			if again == 60 {
				t.Fatal("it goes on after the second interrupt")
			}
			c.Process.Signal(os.Interrupt)
		}
	}
	// What it has left is gone after the next.
	write(t, program, "def main(p):\n    gpu.alloc('b', u8, 1)\n")
	good(t, "record", program, "-o", out)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func TestKilledReplaysLeaveNoTimelineForEver(t *testing.T) {
	tracetest.Nightly(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "x.pftrace")
	write(t, filepath.Join(dir, ".x.pftrace.0.partial"), "what a killed replay has left, without a lock")
	warptape(t, "replay", "../../traces/recorded/saxpy.wtape", "--arch", "gtx480", "--timeline", path)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "x.pftrace" {
		t.Errorf("files %v, %v", entries, err)
	}
}
