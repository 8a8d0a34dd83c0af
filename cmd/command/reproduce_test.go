package command

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestReproduceRefusesWhatItDoesNotHave(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"nothing"}, commandline.ExitUsage, "choose one of"},
		{[]string{"tinycache", "--figure", "9.9"}, commandline.ExitUsage, "5.10"},
		{[]string{"tinycache", "--size", "huge", "--cache", t.TempDir()}, commandline.ExitFailed, "there are small, paper"},
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
