// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/reproduce"
)

func TestReproduceRefusesWhatItDoesNotHave(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"nothing"}, commandline.ExitUsage, "choose one of"},
		{[]string{"tinycache", "--figure", "9.9"}, commandline.ExitUsage, "5.10"},
		{[]string{"tinycache", "--size", "huge", "--cache", t.TempDir()}, commandline.ExitUsage, "there are small, paper"},
		{[]string{"eesi", "--size", "paper", "--figure", "warps"}, commandline.ExitUsage, "at size small only"},
		{[]string{"tinycache", "--sample-above", "5"}, commandline.ExitUsage, "give --sample too"},
		{[]string{"tinycache", "--workers", "-1"}, commandline.ExitUsage, "must not be negative"},
		{nil, commandline.ExitUsage, "STUDY"},
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"warptape", "reproduce"}, c.args...), &out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: code %d, %s", c.args, code, errs.String())
		}
	}
}

// TestLinesSayHowFarAReproductionIs: a count from the start, and the time left as soon as
// something is known of it.
func TestLinesSayHowFarAReproductionIs(t *testing.T) {
	now := time.Unix(1000, 0)
	l := &countedLines{now: func() time.Time { return now }}
	l.progress(reproduce.Progress{Total: 10, Present: 4, Work: 600})
	if got := l.line("replaying"); got != "[4 of 10] replaying" {
		t.Error(got)
	}
	for seconds, want := range map[time.Duration]string{
		10 * time.Second: "[5 of 10, 50 s left] replaying", 2 * time.Minute: "[5 of 10, 10 min left] replaying", time.Hour: "[5 of 10, 5 h left] replaying",
	} {
		now = time.Unix(1000, 0).Add(seconds)
		l.progress(reproduce.Progress{Total: 10, Present: 4, Made: 1, Work: 600, Done: 100})
		if got := l.line("replaying"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
