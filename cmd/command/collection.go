// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// firstCollectionPercent lets the heap grow to 32 MiB before its first collection. By
// default that comes at 4 MiB, and a process that replays a short trace spends a third
// of its processor time on three of them.
const firstCollectionPercent = 800

// deferCollection puts the first garbage collection of the process off. After it the
// collector works as it always does. Who sets GOGC has said what is wanted.
var deferCollection = sync.OnceFunc(func() {
	if _, set := os.LookupEnv("GOGC"); set {
		return
	}
	usual := debug.SetGCPercent(firstCollectionPercent)
	// A collection finds that nothing points to this block. It has no pointers, and is
	// not so small that others share its place.
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
})
