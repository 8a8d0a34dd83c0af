// SPDX-License-Identifier: Apache-2.0

package development

import (
	"slices"
	"strings"
	"testing"
)

func TestDocumentsAreChosenByAPartOfTheirPath(t *testing.T) {
	all := documents(".")
	chosen, err := choose(all, []string{"deviations", "reproduction/dac.md"})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range chosen {
		paths = append(paths, d.path)
	}
	slices.Sort(paths)
	if want := []string{"docs/deviations.md", "docs/reproduction/dac.md"}; !slices.Equal(paths, want) {
		t.Errorf("chosen %v, want %v", paths, want)
	}
	if chosen, err := choose(all, nil); err != nil || len(chosen) != len(all) {
		t.Errorf("without words: %d of %d documents, %v", len(chosen), len(all), err)
	}
	if _, err := choose(all, []string{"docs/deviation.md"}); err == nil || !strings.Contains(err.Error(), "docs/deviations.md") {
		t.Errorf("a wrong word: %v, want the paths that exist", err)
	}
}
