// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strings"
	"testing"
)

func TestBinaryFilesDrawOneComplaint(t *testing.T) {
	_, err := Parse("kernel.cubin", []byte("\x7fELF\x02\x01\x01\x00\x00\x00"))
	list, ok := AsErrorList(err)
	if !ok || len(list) != 1 || !strings.Contains(list[0].Message, "no PTX text") {
		t.Errorf("got %v", err)
	}
}
