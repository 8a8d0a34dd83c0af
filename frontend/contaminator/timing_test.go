// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"strings"
	"testing"
)

func TestTimingDependenceIsTold(t *testing.T) {
	cases := []struct {
		what, body string
		want       []string // one substring per reason
	}{
		{"straight code", "mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1; ret;", nil},
		{"clock", "mov.u32 %r1, %clock; ret;", []string{"reads %clock at line 6"}},
		{"wide clock and place", "mov.u64 %rd1, %clock64;\ncvt.u64.u32 %rd2, %smid; ret;", []string{"reads %clock64 at line 6", "reads %smid at line 7"}},
		{"spin lock", "LOCK:\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOCK;\nst.global.u32 [%rd1], 0; ret;", []string{"loop at line 7 ends by what atom at line 7"}},
		{"volatile flag", "WAIT:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT; ret;", []string{"what ld at line 7"}},
		{"acquiring flag", "WAIT:\nld.acquire.gpu.global.u32 %r1, [%rd1];\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT; ret;", []string{"what ld at line 7"}},
		{"work queue", "NEXT:\natom.global.add.u32 %r1, [%rd1], 1;\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 exit;\nst.global.u32 [%rd2], %r1;\nbra NEXT;", []string{"what atom at line 7"}},
		{"address from a queue", "NEXT:\natom.global.add.u32 %r1, [%rd1], 1;\ncvt.u64.u32 %rd2, %r1;\nld.global.u32 %r3, [%rd2];\nsetp.ge.u32 %p1, %r3, 5;\n@%p1 bra NEXT;ret;", []string{"what atom at line 7"}},
		{"wait inside a counted loop", "OUTER:\nadd.u32 %r5, %r5, 1;\nWAIT:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p1, %r1, %r5;\n@%p1 bra WAIT;\nsetp.lt.u32 %p2, %r5, 9;\n@%p2 bra OUTER; ret;", []string{"loop at line 9 ends by what ld at line 9"}},
		{"atomic of a breadth-first search", "EDGE:\nld.global.u32 %r3, [%rd2];\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SEEN;\natom.global.add.u32 %r4, [%rd3], 1;\nst.global.u32 [%rd4], %r4;\nSEEN:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra EDGE; ret;", nil},
		{"volatile data outside of the condition", "LOOP:\nld.volatile.shared.u32 %r3, [%rd2];\nst.volatile.shared.u32 [%rd2+4], %r3;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"atomic before the loop", "atom.global.add.u32 %r6, [%rd1], 1;\nLOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"flag behind a fence", "WAIT:\nmembar.gl;\nld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT; ret;", []string{"what ld at line 8"}},
		{"flag before a fence", "WAIT:\nld.u32 %r1, [%rd1];\nfence.acq_rel.gpu;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT; ret;", []string{"what ld at line 7"}},
		{"fence before the loop", "membar.gl;\nLOOP:\nld.global.u32 %r6, [%rd1];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"fenced loop that stores", "LOOP:\nst.global.u32 [%rd2], %r5;\nmembar.gl;\nld.global.u32 %r6, [%rd1];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"fenced loop with a barrier", "LOOP:\nmembar.gl;\nbar.sync 0;\nld.global.u32 %r6, [%rd1];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"fenced loop by memory of its own", "LOOP:\nmembar.gl;\nld.local.u32 %r6, [%rd1];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"fenced loop by a constant load", "LOOP:\nmembar.gl;\nld.global.nc.u32 %r6, [%rd1];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r6;\n@%p2 bra LOOP; ret;", nil},
		{"loop with two entries", "setp.eq.u32 %p1, %r9, 0;\n@%p1 bra B;\nA:\nadd.u32 %r5, %r5, 1;\nB:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra A; ret;", []string{"what ld at line 11"}},
	}
	for _, c := range cases {
		got := fromText(t, c.body).Static.TimingDependent
		if len(got) != len(c.want) {
			t.Errorf("%s: reasons %q, want %q", c.what, got, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%s: reason %q, want %q", c.what, got[i], want)
			}
		}
	}
}

func TestReferenceKernelsDoNotDependOnTiming(t *testing.T) {
	for _, k := range referenceKernels(t) {
		if k.Name == "saxpy" || k.Name == "sgemm" || k.Name == "transpose" {
			if got := mustContaminate(t, k).Static.TimingDependent; got != nil {
				t.Errorf("%s: %q", k.Name, got)
			}
		}
	}
}
