// SPDX-License-Identifier: Apache-2.0

package addresses

import (
	"io"
	"log"
	"strconv"
	"strings"
	"syscall"
)

// reservation is what the interpreter asks for in one piece, in bytes.
const reservation = 4 << 30

var (
	lowered bool
	old     syscall.Rlimit
	output  io.Writer
)

func init() {
	if syscall.Getrlimit(syscall.RLIMIT_AS, &old) != nil || old.Cur == ^uint64(0) {
		return
	}
	used, ok := used()
	if !ok {
		return
	}
	// Room for what the rest of the initialisation takes, but not for the reservation.
	low := old
	low.Cur = min(old.Cur, used+reservation/2)
	if syscall.Setrlimit(syscall.RLIMIT_AS, &low) != nil {
		return
	}
	lowered, output = true, log.Writer()
	log.SetOutput(quiet{output})
}

// Restore sets the limit back to what it was.
func Restore() {
	if lowered {
		lowered = false
		log.SetOutput(output)
		_ = syscall.Setrlimit(syscall.RLIMIT_AS, &old) // the hard limit has not changed: it may
	}
}

// quiet leaves out that the reservation has failed.
type quiet struct{ io.Writer }

func (q quiet) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "Starlark failed to allocate") {
		return len(line), nil
	}
	return q.Writer.Write(line)
}

// Left is how many bytes of addresses the process may still take; ok is false where
// there is no limit.
func Left() (bytes uint64, ok bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur == ^uint64(0) {
		return 0, false
	}
	used, ok := used()
	return limit.Cur - min(used, limit.Cur), ok
}

// used is the size of the process's address space in bytes: the first field of
// /proc/self/statm, in pages (proc(5)).
func used() (bytes uint64, ok bool) {
	fd, err := syscall.Open("/proc/self/statm", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	defer syscall.Close(fd)
	var text [128]byte
	n, err := syscall.Read(fd, text[:])
	if err != nil {
		return 0, false
	}
	pages, _, _ := strings.Cut(string(text[:n]), " ")
	count, err := strconv.ParseUint(pages, 10, 64)
	return count * uint64(syscall.Getpagesize()), err == nil
}
