// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// piece is a mechanism of this test; whether it is on is all that it has.
type piece struct {
	Enabled bool `yaml:"enabled"`
}

func (p *piece) On() bool                                  { return p.Enabled }
func (p *piece) Check(*Machine, func(key, message string)) {}
func (p *piece) Structures(*Machine) []Structure           { return nil }

const (
	glue  Ability = "glue"
	frame Ability = "frame"
	under Ability = "a place below"
)

func init() {
	fresh := func() Section { return new(piece) }
	RegisterSection("piece_a", nil, fresh, Declaration{
		Needs: []Need{{Ability: glue, For: "which holds it", Remedy: "add piece_b"}}, Outside: []Ability{under},
	})
	RegisterSection("piece_b", nil, fresh, Declaration{Provides: []Ability{glue, under}})
	RegisterSection("piece_c", nil, fresh, Declaration{Takes: []Why{{glue, "it is too hot"}}})
	RegisterSection("piece_d", nil, fresh, Declaration{Claims: []Why{{frame, "is square"}}, Provides: []Ability{under}})
	RegisterSection("piece_e", nil, fresh, Declaration{Claims: []Why{{frame, "is round"}}})
	RegisterSection("piece_f", nil, fresh, Declaration{Needs: []Need{{Ability: SharedLastLevel, For: "for its own use", Remedy: "take gpsim-soc"}}})
}

func assembled(t *testing.T, machine string, pieces ...string) (*Machine, error) {
	t.Helper()
	m, err := Load(machine)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range pieces {
		m.SetSection(key, &piece{Enabled: true})
	}
	return m, m.Validate()
}

func TestAMachineIsRefusedWithBothMechanismsAndTheReason(t *testing.T) {
	for _, c := range []struct {
		machine string
		pieces  []string
		want    string // "": it is not
	}{
		{"gtx480", []string{"piece_a"}, "piece_a needs glue, which holds it: add piece_b"},
		{"gtx480", []string{"piece_a", "piece_b"}, ""},
		{"gtx480", []string{"piece_a", "piece_b", "piece_c"}, "piece_a needs glue, which holds it; piece_c takes them away: it is too hot; leave one of the two out"},
		{"gtx480", []string{"piece_b", "piece_c"}, ""},
		{"gtx480", []string{"piece_d", "piece_e"}, "a machine has one frame, and two mechanisms bring one: piece_d is square; piece_e is round; leave one of the two out"},
		{"gtx480", []string{"piece_f"}, "piece_f needs a last-level cache that others can use, for its own use: take gpsim-soc"},
		{"gpsim-soc", []string{"piece_f"}, ""},
	} {
		_, err := assembled(t, c.machine, c.pieces...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %v: got %v, want %q", c.machine, c.pieces, err, c.want)
		}
	}
}

// The order follows from what mechanisms say of abilities, and otherwise from their
// keys.
func TestMechanismsAreAssembledInTheOrderThatFollows(t *testing.T) {
	for _, c := range [][]string{
		{"piece_b", "piece_a"}, {"piece_b", "piece_c"}, {"piece_b", "piece_d", "piece_a"}, {"piece_b", "piece_a", "piece_e"},
	} {
		m, err := assembled(t, "gtx480", slices.Sorted(slices.Values(c))...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Assembly()
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}
