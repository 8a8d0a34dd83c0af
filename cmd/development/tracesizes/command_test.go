// SPDX-License-Identifier: Apache-2.0

package tracesizes

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func sizes(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	app := &cli.App{Name: "test", Writer: &out, ErrWriter: &errs, Commands: []*cli.Command{Command()}}
	code = commandline.Run(context.Background(), app, append([]string{"test", "sizes"}, args...))
	return code, out.String(), errs.String()
}

func TestTraceSizesComparesWithAccelSim(t *testing.T) {
	code, out, errs := sizes("../../../traces/recorded/tiny/saxpy.wtape", "--accelsim")
	if code != commandline.ExitOK || errs != "" {
		t.Fatalf("code %d, %s", code, errs)
	}
	if !regexp.MustCompile(`(?m)^\| saxpy \| [\d,]+ \| [\d,]+ \| \d+\.\d{3} \|( \d+\.\d{3} \|){4} \d+\.\d \|$`).MatchString(out) ||
		!regexp.MustCompile(`Geometric mean of 1: \d`).MatchString(out) {
		t.Errorf("prints\n%s", out)
	}
	if code, _, errs := sizes(); code != commandline.ExitUsage || !strings.Contains(errs, "missing argument") {
		t.Errorf("code %d, %s", code, errs)
	}
}
