// SPDX-License-Identifier: Apache-2.0

package traces

import (
	"strings"
	"testing"
)

// Marks stand in the order of the list of tables; what the list has not stands behind them as it is.
func TestMarksOfTables(t *testing.T) {
	first, last := Tables[0], Tables[len(Tables)-1]
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""}, {[]string{first.Name}, first.Mark}, {[]string{last.Name, first.Name}, first.Mark + " " + last.Mark},
		{[]string{"mine", last.Name, "yours"}, last.Mark + " mine yours"},
	} {
		if got := TableMarks(c.names); got != c.want {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}

// The file of sizes is read as it is written. A field that is none of its own is an error that names the file.
func TestFileOfSizesIsReadAsItIsWritten(t *testing.T) {
	sizes, err := ReadFileSizes()
	if err != nil {
		t.Fatal(err)
	}
	text, err := sizes.Text()
	if err != nil || string(text) != string(fileSizesText) {
		t.Errorf("%v: the file is not what is written", err)
	}
	for i := range sizes.Workloads {
		if name := sizes.Workloads[i].Name; sizes.Find(name) != &sizes.Workloads[i] {
			t.Errorf("%s is not found", name)
		}
	}
	if sizes.Find("none") != nil {
		t.Error("a workload is found that is none")
	}
	for _, damaged := range []string{`{"workloads":[{"name":"x","colour":1}]}`, `{"workloads":`} {
		if _, err := ParseFileSizes("file.json", []byte(damaged)); err == nil || !strings.Contains(err.Error(), "file.json") || !strings.Contains(err.Error(), "make sizes") {
			t.Errorf("%s: %v", damaged, err)
		}
	}
}
