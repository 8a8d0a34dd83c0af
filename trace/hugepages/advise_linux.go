// SPDX-License-Identifier: Apache-2.0

package hugepages

import "golang.org/x/sys/unix"

// advise tells the system (madvise(2)). An error says that it has no huge pages.
func advise(at, bytes uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, bytes, unix.MADV_HUGEPAGE)
}
