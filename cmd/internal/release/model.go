// SPDX-License-Identifier: Apache-2.0

package release

import (
	"runtime/debug"
	"strings"
	"sync"
)

// Model names what replays: results of another model are not used. It is the version for
// a release or for a build of a clean revision, which give the same results on every
// processor. For any other build it is the digest of the executable.
var Model = sync.OnceValues(func() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		if name, ok := pure(info); ok {
			return name, nil
		}
	}
	digest, err := ExecutableDigest()
	return "executable " + digest, err
})

// pure gives the name of a build that its version tells from all others.
func pure(info *debug.BuildInfo) (name string, ok bool) {
	if info.Main.Path != module {
		return "", false // policies or mechanisms of another module may be in it
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	switch {
	case setting["vcs.revision"] != "" && setting["vcs.modified"] == "false":
		return "revision " + setting["vcs.revision"], true
	case setting["vcs.revision"] == "" && strings.HasPrefix(info.Main.Version, "v") && !strings.Contains(info.Main.Version, "dirty"):
		return "release " + info.Main.Version, true
	}
	return "", false
}
