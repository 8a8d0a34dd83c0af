package main

import "runtime/debug"

// release is the version of the source tree; it is part of every trace and of
// every result.
const release = "0.1.0"

// version is the release with, where the build knows it, the revision it was
// built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + "+" + s.Value[:12]
		}
	}
	return release
}
