package host

import (
	"fmt"
	"runtime/metrics"
	"time"

	"github.com/warptape/warptape/frontend/emulator"
)

// memoryPeriod is how often watchMemory looks.
const memoryPeriod = 20 * time.Millisecond

// recordingBytes is more than a recording keeps in memory beside the program's
// arrays and the device's buffers.
const recordingBytes = 1 << 30

// memoryLimit is how much live memory the process may have while a run lasts:
// lists and strings of Starlark are not booked in the array.Space, and may take
// as much as the arrays.
func (r *run) memoryLimit() uint64 {
	return liveBytes() + 2*r.options.MaxBytes + emulator.DefaultGlobalBytes + recordingBytes
}

// watchMemory cancels the run when the process's live memory exceeds limit. It
// is there for programs that run away, not for hostile ones: memory can grow
// between two looks. The function that it returns ends the watch.
func (r *run) watchMemory(limit uint64) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(memoryPeriod)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if live := liveBytes(); live > limit {
					r.thread.Cancel(fmt.Sprintf("out of memory: %d bytes in use, of which the program may take %d", live, r.options.MaxBytes))
					return
				}
			}
		}
	}()
	return func() { close(done) }
}

// liveBytes is what the last garbage collection found alive.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
