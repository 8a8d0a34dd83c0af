// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/wtape"
)

var saxpy = filepath.Join("..", "..", "..", "traces", "recorded", "tiny", "saxpy.wtape")

func TestEachSizeIssuesWhatWasRecorded(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), []string{saxpy, "gtx480", "16", "32"}, &out); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(saxpy)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, size := range []string{"16", "32"} {
		if want := fmt.Sprintf("gtx480+set(l1.bytes=%sKiB): %d warp instructions in ", size, r.Totals().WarpInstructions); len(lines) != 2 || !strings.HasPrefix(lines[i], want) || strings.Contains(lines[i], " 0 mJ") {
			t.Errorf("it says\n%s", out.String())
		}
	}
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for _, args := range [][]string{nil, {saxpy, "gtx480"}, {saxpy, "gtx481", "16"}, {saxpy, "gtx480", "much"}, {saxpy, "gtx480", "-16"}, {"none.wtape", "gtx480", "16"}} {
		if err := run(context.Background(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is no error", args)
		}
	}
}
