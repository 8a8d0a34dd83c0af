// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strings"
	"testing"
)

// What old targets and versions imply is written out.
func TestOldModulesSayWhatTheyMean(t *testing.T) {
	for _, test := range []struct{ head, text, want string }{
		{".version 1.4\n.target sm_10, map_f64_to_f32", "add.f64 %d1, %d2, 0d3FF8000000000000;", "add.ftz.f32 %d1, %d2, 0f3FC00000;"},
		{".version 1.4\n.target sm_10, map_f64_to_f32", "cvt.rn.f32.f64 %f1, %d2;", "cvt.ftz.f32.f32 %f1, %d2;"},
		{".version 1.4\n.target sm_10, map_f64_to_f32", "cvt.f64.f32 %d1, %f2;", "cvt.ftz.f32.f32 %d1, %f2;"},
		{".version 1.4\n.target sm_20, map_f64_to_f32", "cvt.rzi.s32.f64 %r1, %d2;", "cvt.rzi.s32.f32 %r1, %d2;"},
		{".version 1.4\n.target sm_20, map_f64_to_f32", "ld.global.f64 %d1, [%rd1+8];", "ld.global.f32 %d1, [%rd1+8];"},
		{".version 1.4\n.target sm_20, map_f64_to_f32", "div.rn.f64 %d1, %d2, %d1;", "div.rn.f32 %d1, %d2, %d1;"},
		{".version 1.4\n.target sm_13", "add.f64 %d1, %d2, %d1;", "add.f64 %d1, %d2, %d1;"},
		{".version 1.4\n.target sm_13", "mad.f32 %f1, %f2, %f1, %f1;", "mad.ftz.f32 %f1, %f2, %f1, %f1;"},
		{".version 1.4\n.target sm_13", "setp.lt.f32 %p1, %f2, %f1;", "setp.lt.ftz.f32 %p1, %f2, %f1;"},
		{".version 1.4\n.target sm_13", "set.eq.u32.f32 %r1, %f2, %f1;", "set.eq.ftz.u32.f32 %r1, %f2, %f1;"},
		{".version 1.4\n.target sm_13", "cvt.f64.f32 %d1, %f2;", "cvt.f64.f32 %d1, %f2;"},
		{".version 2.0\n.target sm_13", "cvt.f64.f32 %d1, %f2;", "cvt.ftz.f64.f32 %d1, %f2;"},
		{".version 1.4\n.target sm_13", "selp.f32 %f1, %f2, %f1, %p1;", "selp.f32 %f1, %f2, %f1, %p1;"},
		{".version 1.4\n.target sm_13", "mul.ftz.f32 %f1, %f2, %f1;", "mul.ftz.f32 %f1, %f2, %f1;"},
		{".version 1.3\n.target sm_20", "div.f32 %f1, %f2, %f1;", "div.approx.f32 %f1, %f2, %f1;"},
		{".version 1.3\n.target sm_20", "div.full.f32 %f1, %f2, %f1;", "div.full.f32 %f1, %f2, %f1;"},
		{".version 1.3\n.target sm_13", "sin.f32 %f1, %f2;", "sin.approx.ftz.f32 %f1, %f2;"},
		{".version 1.2\n.target sm_13", "sqrt.f64 %d1, %d2;", "sqrt.rn.f64 %d1, %d2;"},
		{".version 1.2\n.target sm_13", "rsqrt.f64 %d1, %d2;", "rsqrt.approx.f64 %d1, %d2;"},
		{".version 1.2\n.target sm_20", "div.s32 %r1, %r2, %r1;", "div.s32 %r1, %r2, %r1;"},
		{".version 2.0\n.target sm_20", "add.f32 %f1, %f2, %f1;", "add.f32 %f1, %f2, %f1;"},
	} {
		m := mustParse(t, test.head+"\n.entry k() {\n.reg .f64 %d<3>; .reg .f32 %f<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n"+test.text+" exit; }")
		if got := Format(&m.Kernels[0].Body[0]); got != test.want {
			t.Errorf("%s: %s becomes %s, want %s", strings.ReplaceAll(test.head, "\n", " "), test.text, got, test.want)
		}
	}
}

func TestOldModulesThatCannotBeDemoted(t *testing.T) {
	for text, want := range map[string]string{
		"mov.b64 %rd1, %d1;":                                "map_f64_to_f32",
		"ld.global.v2.f64 {%d1, %d2}, [%rd1];":              "one by one",
		"div.f32 %f1, %f1, %f1;":                            "needs one of",
		"st.global.f64 [%rd1], 1;":                          "an integer stands where .f32 is needed",
		"@%p1 add.f64 %d1, %d1, 0d3FF8000000000000; bogus;": "unsupported instruction",
	} {
		_, err := Parse("old.ptx", []byte(".version 1.4\n.target sm_10, map_f64_to_f32\n.entry k() { .reg .f64 %d<3>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n"+text+" exit; }"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
