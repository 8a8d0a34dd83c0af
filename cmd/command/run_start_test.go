// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A program starts with its addresses where they always are (personality(2), ADDR_NO_RANDOMIZE), and finds
// the socket. Its own libraries stay in its way. The command keeps the addresses that it has.
func TestProgramsStartWithoutRandomAddresses(t *testing.T) {
	of := func(text string) uint64 {
		v, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64)
		if err != nil {
			t.Skip(err)
		}
		return v
	}
	own, err := os.ReadFile("/proc/thread-self/personality")
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("LD_LIBRARY_PATH", "/mine")
	var out, errs bytes.Buffer
	program, err := start(&programStart{args: []string{"/bin/sh", "-c", "cat /proc/self/personality; echo $" + socketVariable + " $LD_LIBRARY_PATH"}, stdout: &out, stderr: &errs}, "/there")
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Fatal(err, errs.String())
	}
	personality, socket, _ := strings.Cut(out.String(), "\n")
	const addressNoRandomize = 0x0040000
	if got, want := of(personality), of(string(own))|addressNoRandomize; got != want || !strings.HasPrefix(socket, "/there ") || !strings.HasSuffix(socket, "/mine\n") {
		t.Errorf("personality %#x, want %#x; socket and libraries %q", got, want, socket)
	}
	if after, err := os.ReadFile("/proc/thread-self/personality"); err != nil || of(string(after)) != of(string(own)) {
		t.Errorf("its own personality was %s and is %s: %v", own, after, err)
	}
}
