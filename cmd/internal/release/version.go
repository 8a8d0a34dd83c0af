// SPDX-License-Identifier: Apache-2.0

// Package release says which warptape a trace, a result or a measurement is from.
package release

import (
	"runtime/debug"
	"strings"
)

// Number is the version of the source tree; it is part of every trace and of
// every result.
const Number = "0.1.0"

// module is where this source tree is found.
const module = "github.com/warptape/warptape"

// Version is the release with, where the build knows it, the revision it was
// built from. A program of another module says so: its results may rest on a policy
// or a mechanism that this source tree does not have.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Number
	}
	if info.Main.Path != module && info.Main.Path != "" {
		return Number + " in " + strings.TrimSuffix(info.Main.Path+"@"+info.Main.Version, "@")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return Number + "+" + s.Value[:12]
		}
	}
	return Number
}
