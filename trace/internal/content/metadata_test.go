// SPDX-License-Identifier: Apache-2.0

package content

import (
	"testing"

	"github.com/warptape/warptape/trace/internal/limits"
)

func TestTheMetadataOfAFileIsBoundedAltogether(t *testing.T) {
	var c Content
	for range 4 {
		if err := c.spend(limits.MetadataBytes / 4); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.spend(1); err == nil {
		t.Error("a byte more is accepted")
	}
}
