package command

import (
	"github.com/warptape/warptape/cmd/internal/commandline"
	"regexp"
	"testing"
)

func TestTraceSizesComparesWithAccelSim(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	out := good(t, "trace", "sizes", path, "--accelsim")
	if !regexp.MustCompile(`(?m)^\| saxpy \| [\d,]+ \| [\d,]+ \| \d+\.\d{3} \|( \d+\.\d{3} \|){4} \d+\.\d \|$`).MatchString(out) ||
		!regexp.MustCompile(`Geometric mean of 1: \d`).MatchString(out) {
		t.Errorf("prints\n%s", out)
	}
	bad(t, commandline.ExitUsage, "missing argument", "trace", "sizes")
}
