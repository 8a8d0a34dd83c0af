// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"regexp"
	"strings"
	"testing"
)

var (
	leaving = regexp.MustCompile(`(?m)^\t@!?%\S+ (?:exit|ret);$`)
	named   = regexp.MustCompile(`(?m)mov\.u64 %y64, (\w+);$`)
)

// Threads do not leave the kernel where others count on them: in functions, in clusters and in cooperative launches.
// Where they return from a function, the mask of the lanes that stay is made anew if something needs it.
func TestThreadsLeaveWhereNoOtherCountsOnThem(t *testing.T) {
	list := forms(t)
	leave, counted, returns, masks := 0, 0, 0, 0
	for seed := uint64(0); seed < 3 || seed < 80 && (leave == 0 || counted == 0 || masks == 0); seed++ {
		p := New(list, Options{Seed: 700 + seed, Statements: 40})
		at := strings.Index(p.Text, ".entry")
		for _, f := range strings.Split(p.Text[:at], ".visible .func")[1:] {
			if strings.Contains(f, "exit;") {
				t.Errorf("seed %d: a thread leaves the kernel in a function", seed)
			}
			before, rest, some := strings.Cut(f, "\t@%c0 ret;\n")
			if !some {
				continue
			}
			if returns++; strings.Contains(rest, "%mask0") {
				masks++
				if _, behind, _ := strings.Cut(before, "setp.eq.u32 %c0"); !strings.Contains(behind, "vote.sync.ballot.b32 %mask0, !%c0, %mask0;") {
					t.Errorf("seed %d: a mask has lanes that have returned", seed)
				}
			}
		}
		found := leaving.FindString(p.Text[at:])
		switch {
		case p.Cluster == 0 && !p.Cooperative:
			if found != "" {
				leave++
			}
		case found != "":
			t.Errorf("seed %d: %q, in a cluster of %d, cooperative %v", seed, found, p.Cluster, p.Cooperative)
		default:
			counted++
		}
	}
	if leave == 0 || counted == 0 || returns == 0 || masks == 0 {
		t.Errorf("%d programs whose threads leave, %d where others count on them, %d functions with returns, %d with masks", leave, counted, returns, masks)
	}
}

// An address in a variable by data begins with that of the variable, in the memory of the access.
func TestAddressesBeginWithTheirVariables(t *testing.T) {
	list := forms(t)
	met := map[string]int{}
	for seed := uint64(0); seed < 2 || seed < 60 && (met["table"] == 0 || met["fixed"] == 0); seed++ {
		lines := strings.Split(New(list, Options{Seed: 900 + seed, Statements: 80}).Text, "\n")
		for i, line := range lines {
			if !strings.HasSuffix(line, "add.u64 %x64, %x64, %y64;") || i < 3 {
				continue
			}
			m := named.FindStringSubmatch(lines[i-3] + "\n" + lines[i-2])
			if m == nil {
				t.Errorf("seed %d: no address of a variable:\n%s", seed, strings.Join(lines[i-3:i+2], "\n"))
				continue
			}
			met[m[1]]++
			for space, variable := range map[string]string{".const": "table", ".shared": "fixed", ".local": "depot"} {
				if access := lines[i+1]; strings.Contains(access, "[%x64") && strings.Contains(access, space) && m[1] != variable && m[1] != "tallies" {
					t.Errorf("seed %d: an access of memory %s at an address in %s: %s", seed, space, m[1], access)
				}
			}
		}
	}
	if met["table"] == 0 || met["fixed"] == 0 {
		t.Errorf("addresses in variables are %v", met)
	}
}
