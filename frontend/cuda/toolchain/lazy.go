// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"regexp"
	"sync"
)

// lazily is a regular expression that is compiled when it is first used: few processes build a program.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
