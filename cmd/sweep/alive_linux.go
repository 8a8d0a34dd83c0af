// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
)

// place names the running kernel and the namespace of process numbers, so that numbers of
// two processes with one place can be compared; "" where that is not known.
var place = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, err2 := os.Readlink("/proc/self/ns/pid")
	if err != nil || err2 != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(string(boot)) + " " + namespace))
	return hex.EncodeToString(sum[:8])
})

// birth is when a process began, in ticks since the kernel did; "" when it is not known.
// A zombie has ended.
func birth(pid int) (ticks string, zombie bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The name of the program stands in parentheses and may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const state, start = 0, 19 // proc(5): fields 3 and 22
	if len(fields) <= start {
		return "", false
	}
	return string(fields[start]), fields[state][0] == 'Z'
}

// runs reports whether a process of this place still runs.
func runs(pid int, born string) bool {
	if pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	now, zombie := birth(pid)
	return !zombie && (now == "" || born == "" || now == born)
}
