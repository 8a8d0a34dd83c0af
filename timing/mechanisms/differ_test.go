// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// differ says in what two results differ. Nearly all are equal, which reflect sees in a fraction of cmp's time.
func differ(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}
