// SPDX-License-Identifier: Apache-2.0

//go:build linux

package slurmtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of what its daemons leave behind, so that it can be
// found and ended.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// parentOf a process; zero when it has ended.
func parentOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	parent, _ := strconv.Atoi(string(fields[1])) // proc(5): field 4
	return parent
}

// descendants of a process.
func descendants(pid int) []int {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	children := map[int][]int{}
	for _, e := range entries {
		if child, err := strconv.Atoi(filepath.Base(e)); err == nil {
			parent := parentOf(child)
			children[parent] = append(children[parent], child)
		}
	}
	var list []int
	for todo := children[pid]; len(todo) > 0; {
		list = append(list, todo[0])
		todo = append(todo[1:], children[todo[0]]...)
	}
	return list
}

// killTree ends a process, without a signal that it can handle, and then what comes from it.
func killTree(pid int) {
	for _, p := range append([]int{pid}, descendants(pid)...) {
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
}

// environment gives a variable of a process.
func environment(pid int, name string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, v := range strings.Split(string(text), "\x00") {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func commandLine(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(text)
}

// reap forgets adopted processes that have ended. Those of package exec are waited for
// already.
func reap() {
	for _, pid := range descendants(os.Getpid()) {
		var status syscall.WaitStatus
		_, _ = syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
	}
}
