// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"strings"
	"testing"
)

func TestFirstColumnIsLeftAlignedAndLinesEndInText(t *testing.T) {
	var b strings.Builder
	Write(&b, [][]string{{"", "gtx480", "ratio"}, {"cycles", "7", ""}, {"µs", "12.5", "1.000"}})
	want := "" +
		"        gtx480  ratio\n" +
		"cycles       7\n" +
		"µs        12.5  1.000\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	Write(&b, nil)
	if b.Len() != 0 {
		t.Errorf("no rows give %q", b.String())
	}
}
