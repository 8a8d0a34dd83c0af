// SPDX-License-Identifier: Apache-2.0

package release

import "runtime/debug"

// Modules are the libraries in a program, as they were replaced.
func Modules(info *debug.BuildInfo) []*debug.Module {
	var list []*debug.Module
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, m)
	}
	return list
}
