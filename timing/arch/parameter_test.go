// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArgumentsOfOverlaysAreValuesOfTheMachine(t *testing.T) {
	m := mustLoad(t, "gtx480+big-l1(factor=2)+warp-limit( warps = 5 )")
	if m.L1.Bytes != 64<<10 || m.L1.Ways != 8 || m.SM.SchedulerWarps != 5 {
		t.Errorf("l1 %d in %d ways, %d warps", m.L1.Bytes, m.L1.Ways, m.SM.SchedulerWarps)
	}
	if m.Name != "gtx480+big-l1(factor=2)+warp-limit( warps = 5 )" {
		t.Errorf("name %q", m.Name)
	}
}

func TestAnOverlayWithItsDefaultsIsTheOverlay(t *testing.T) {
	entries, err := List()
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for _, e := range entries {
		if len(e.Parameters) == 0 {
			continue
		}
		plain, err := Load("gtx480+" + e.Name)
		if err != nil {
			continue // an overlay for other machines
		}
		some++
		if spelt := mustLoad(t, "gtx480+"+e.Signature()); spelt.Digest() != plain.Digest() {
			t.Errorf("%s is another machine than %s", e.Signature(), e.Name)
		}
	}
	if some < 4 {
		t.Errorf("only %d overlays with parameters were compared", some)
	}
}

func TestSettingsChangeTheMachineAfterItsOverlays(t *testing.T) {
	m := mustLoad(t, WithSettings("gtx480+big-l1", []string{"l1.bytes=16KiB", "l1.ways=4", "sm.scheduler=lrr", "clocks.dram_mhz=800.5"}))
	if m.L1.Bytes != 16<<10 || m.SM.Scheduler != "lrr" || m.Clocks.DRAMMHz != 800.5 {
		t.Errorf("l1 %d, scheduler %s, DRAM %g MHz", m.L1.Bytes, m.SM.Scheduler, m.Clocks.DRAMMHz)
	}
	if again := mustLoad(t, m.Name); again.Digest() != m.Digest() {
		t.Errorf("the name %s is of another machine", m.Name)
	}
	var b bytes.Buffer
	if err := m.Show(&b); err != nil || !strings.Contains(b.String(), "as asked for") || !strings.Contains(b.String(), "overrides big-l1") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestWrongArgumentsAreRefusedWithWhatIsRight(t *testing.T) {
	for spec, want := range map[string]string{
		"gtx480+warp-limit(warps=0)":            "warp-limit(warps=0): warps: sm.scheduler_warps: 0 is out of range, expected warps, 1..64",
		"gtx480+warp-limit(warp=3)":             `has no parameter "warp"; did you mean warps?`,
		"gtx480+warp-limit(warps=many)":         "expected a whole number",
		"gtx480+warp-limit(warps=3,warps=4)":    "warps is given twice",
		"gtx480+lrr(x=1)":                       "overlay lrr has no parameters; set keys of the machine with +set(KEY=VALUE)",
		"gtx480+big-l1(factor=0)":               "factor 0 is not in 0..1024",
		"gtx480+big-l1(factor=two)":             "expected a number",
		"gtx480(sms=3)":                         "a machine takes no arguments; set its keys with gtx480+set(KEY=VALUE)",
		"gtx480+big-l1()":                       "expected NAME=VALUE",
		"gtx480+big-l1(factor)":                 "expected NAME=VALUE",
		"gtx480+big-l1(factor=)":                "expected NAME=VALUE",
		"gtx480+big-l1(factor=2":                "a parenthesis is not closed",
		"gtx480+big-l1)":                        "unexpected ')' at character 14",
		"gtx480+big-l1((factor=2))":             "unexpected '('",
		"gtx480+big-l1(factor=2)lrr":            "nothing may follow the parenthesis",
		"gtx480+big-l1(factor={a: 1})":          "a value has letters, digits",
		"gtx480+set":                            "write set(KEY=VALUE,...)",
		"gtx480+set(l1.byte=3)":                 "did you mean l1.bytes?",
		"gtx480+set(l1=3)":                      "keys are written as in l1.line_bytes",
		"gtx480+set(name=x)":                    "name is not a value of the machine",
		"gtx480+set(l1.bytes=3KB)":              "write a whole number with B, KiB, MiB or GiB",
		"gtx480+set(l1.bytes=7KiB)":             "is not a power of two of sets",
		"gtx480+set(gpu.sms=99999999999999999)": "is out of range",
		"gtx480+set(sm.scheduler=gtx)":          "did you mean gto?",
	} {
		if _, err := Load(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got\n%v", spec, want, err)
		}
	}
}

func TestParametersOfAFileAreChecked(t *testing.T) {
	for name, c := range map[string]struct{ parameters, want string }{
		"no default":     {"{key: l1.bytes}", "the overlay does not set l1.bytes, so that there is no default"},
		"no scale":       {"{scale: [l1.ways]}", "the overlay does not scale l1.ways"},
		"unknown":        {"{key: sm.schedulerz}", "did you mean sm.scheduler"},
		"neither":        {"{about: nothing}", "needs one of key and scale"},
		"both":           {"{key: sm.schedulers, scale: [l2.slice.bytes]}", "needs one of key and scale"},
		"half a word":    {"{key: sm.scheduler, true_is: gto}", "true_is and false_is come together"},
		"no such word":   {"{key: sm.scheduler, true_is: gto, false_is: other}", `unknown word "other"`},
		"range of words": {"{key: sm.scheduler, range: 1..2}", "range is for numbers"},
		"wide range":     {"{key: sm.schedulers, range: 1..1000}", "goes beyond that of sm.schedulers"},
		"odd range":      {"{key: sm.schedulers, range: few}", "expected limits such as 2..8"},
		"odd key":        {"{key: sm.schedulers, min: 3}", `unknown key "min"`},
		"a number":       {"3", "expected {key: SECTION.KEY}"},
	} {
		path := filepath.Join(t.TempDir(), "o.yaml")
		text := "overlay: o\nparameters:\n  p: " + c.parameters + "\nset:\n  sm: {schedulers: 2, scheduler: lrr}\nscale:\n  l2.slice.bytes: 2\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Check(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "o.yaml:3:") {
			t.Errorf("%s: want %q at line 3, got\n%v", name, c.want, err)
		}
	}
}

func TestAUsersOverlayHasParameters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.yaml")
	text := "overlay: o\nparameters:\n  n: {key: sm.schedulers, range: 1..4}\n  quick: {key: sm.scheduler, true_is: gto, false_is: lrr}\nset:\n  sm: {schedulers: 2, scheduler: lrr}\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m := mustLoad(t, "gtx480+"+path+"(n=4,quick=true)")
	if m.SM.Schedulers != 4 || m.SM.Scheduler != "gto" {
		t.Errorf("%d schedulers, %s", m.SM.Schedulers, m.SM.Scheduler)
	}
	if _, err := Load("gtx480+" + path + "(n=5)"); err == nil || !strings.Contains(err.Error(), "n: 5 is out of range, expected schedulers, 1..4") {
		t.Error(err)
	}
}

func FuzzSpecificationsNeverPanic(f *testing.F) {
	for _, s := range []string{"gtx480", "gtx480+lrr", "gtx480+big-l1(factor=2)", "gtx480+set(l1.bytes=1KiB)", "gtx480+set((=", "+", "()", "gtx480+set(a=b,c)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		if isPath(spec) {
			return // files of the machine that the test runs on
		}
		if m, err := Load(spec); err == nil && m.Name != spec {
			t.Errorf("%q is called %q", spec, m.Name)
		}
	})
}
