// SPDX-License-Identifier: Apache-2.0

package reproduce

import "strings"

// with gives the last overlay of a specification arguments: NAME=VALUE, parted by
// commas, behind those that it has.
func with(spec, arguments string) string {
	if open, closed := strings.CutSuffix(spec, ")"); closed {
		return open + "," + arguments + ")"
	}
	return spec + "(" + arguments + ")"
}
