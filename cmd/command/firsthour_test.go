// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/store/registrytest"
	"github.com/warptape/warptape/trace/tracetest"
)

// shellBlock is a block of commands in a page.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// exampleRegistry is what pages call a registry.
const exampleRegistry = "registry.example.org"

// TestTheFirstHourWorksAsWritten runs every block of commands of docs/first-hour.md in one
// empty folder, with a shell, as a reader would.
func TestTheFirstHourWorksAsWritten(t *testing.T) {
	tracetest.Nightly(t)
	if runtime.GOOS != "linux" {
		t.Skip("CUDA programs are for Linux")
	}
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	runPage(t, "../../docs/first-hour.md")
}

// TestCommandsAtAGlanceWork runs those of docs/commands.md that need nothing else.
func TestCommandsAtAGlanceWork(t *testing.T) {
	tracetest.Nightly(t)
	if testing.Short() {
		t.Skip("replays for some seconds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the test needs a shell")
	}
	runPage(t, "../../docs/commands.md")
}

// runPage runs the shell blocks of a page in one folder, in the order of the page.
func runPage(t *testing.T, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := shellBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatalf("%s has no commands", page)
	}
	registry := registrytest.Start(t, false)
	folder, programs := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(programs, "warptape")); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		script := strings.ReplaceAll(b[1], exampleRegistry, registry.Host)
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), childVariable+"=1", "PATH="+programs+":"+os.Getenv("PATH"),
			"XDG_CACHE_HOME="+filepath.Join(folder, ".cache"), "XDG_DATA_HOME="+filepath.Join(folder, ".data"), "HOME="+folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v in\n%s\nwhich printed\n%s", page, err, b[1], out)
		}
	}
}
