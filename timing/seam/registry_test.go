// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegistryFindsByNameAndListsInOrder(t *testing.T) {
	r := NewRegistry[int]("test strategy")
	for i, name := range []string{"pear", "apple", "fig"} {
		r.Register(name, i)
	}
	if v, err := r.Lookup("fig"); v != 2 || err != nil {
		t.Errorf("fig is %d, %v", v, err)
	}
	if diff := cmp.Diff([]string{"apple", "fig", "pear"}, r.Names()); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Lookup("plum"); err == nil || !strings.Contains(err.Error(), `unknown test strategy "plum" (known: apple, fig, pear)`) {
		t.Errorf("got %v", err)
	}
}

func TestRegisteringANameTwiceIsABug(t *testing.T) {
	defer func() {
		if m, ok := recover().(string); !ok || !strings.HasPrefix(m, "BUG:") {
			t.Errorf("recovered %q", m)
		}
	}()
	r := NewRegistry[int]("test strategy")
	r.Register("a", 1)
	r.Register("a", 2)
}
