// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/proto/wtapepb"
)

func TestEnumsMatchTheSchema(t *testing.T) {
	for name, sizes := range map[string][2]int{
		"classes":       {ClassCount + 1, len(wtapepb.OpClass_name)}, // a barrier with values has one of its own there
		"spaces":        {SpaceCount, len(wtapepb.Space_name)},
		"operand kinds": {int(operandEnd), len(wtapepb.OperandKind_name)},
		"event kinds":   {int(eventEnd), len(wtapepb.EventKind_name)},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("%d %s, the schema has %d", sizes[0], name, sizes[1])
		}
	}
	simplify := strings.NewReplacer("OP_CLASS_", "", "_", "", "-", "")
	for c := range OpClass(ClassCount) {
		want := strings.ToLower(simplify.Replace(wtapepb.OpClass(c).String()))
		if got := strings.ReplaceAll(c.String(), "-", ""); got != want {
			t.Errorf("class %d is %s, in the schema %s", c, got, want)
		}
	}
}
