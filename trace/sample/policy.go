// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Policy says which thread blocks a sample stores. The zero value is invalid:
// make one with Parse.
type Policy struct {
	// Kind is "auto", "fraction", "count", "stratified" or "sms".
	Kind string
	// Fraction of the thread blocks of each launch, in (0, 1]; of all kinds but
	// "count". Of "sms" it is of the thread blocks of the slices.
	Fraction float64
	// Count of thread blocks of each launch, of "count".
	Count uint64
	// Strata is the largest number of strata of a launch, of "stratified".
	Strata int
	// Kept of All equal slices of the machine, of "sms".
	Kept, All uint32
	// Launches is the fraction of similar launches that are stored, in (0, 1];
	// 1 stores every launch.
	Launches float64
	// Run is the number of consecutive thread blocks that are stored together. A slice
	// stores one fill together at least, and Run may be zero.
	Run uint64
	// Minimum is the number of thread blocks of a launch that are stored in any
	// case: fewer do not show how a machine behaves that is full.
	Minimum uint64
	// Waves, if not zero, takes the place of Minimum: the number of times that the
	// thread blocks stored of a launch fill the machine that the sample is for.
	Waves uint64
	// For is the machine, or what covers all machines, that the sample is for.
	For Fill
	// FewWaves, if not zero, is that number for launches of long thread blocks that do
	// alike: where so many waves have several times Work.
	FewWaves uint64
	// Work is the number of warp instructions of a launch that are stored in any
	// case, where a profile tells how many a thread block has. Launches of short
	// thread blocks need more of them until caches have filled.
	Work uint64
	// Seed chooses the starts of systematic samples.
	Seed uint64
}

// Defaults of what a policy does not name.
const (
	DefaultFraction = 0.1
	DefaultStrata   = 8
	DefaultRun      = 2048
	// DefaultMinimum is about four times what fits a GPU of 16 SMs at a time.
	DefaultMinimum  = 384
	DefaultLaunches = 0.1
	DefaultWork     = 500_000
	// Of "auto".
	DefaultAutoFraction = 0.05
	DefaultAutoWaves    = 6
	DefaultAutoFewWaves = 3
	maxStrata           = 64
	maxSlices           = 1024
)

var errPolicy = errors.New("want auto[=F], fraction=F, count=N, stratified[=K] or sms=K/N, and after commas launches[=F], run=N, min=N, waves=N or waves=M-N, work=N, for=MACHINE, seed=N")

// Parse reads a policy: the kind first, then modifiers after commas, as in
// "fraction=0.1,launches=0.05,seed=7". An error names the part that is wrong.
func Parse(text string) (Policy, error) {
	p := Policy{Fraction: DefaultFraction, Strata: DefaultStrata, Launches: 1, Run: DefaultRun, Minimum: DefaultMinimum, Work: DefaultWork, For: DefaultFill, Seed: 1}
	seen := map[string]bool{}
	for i, part := range strings.Split(text, ",") {
		name, value, given := strings.Cut(part, "=")
		if seen[name] {
			return p, fmt.Errorf("sampling policy %q: %s is given twice", text, name)
		}
		seen[name] = true
		var err error
		if i == 0 {
			err = p.parseKind(name, value, given)
		} else {
			err = p.parseModifier(name, value, given)
		}
		if err != nil {
			return p, fmt.Errorf("sampling policy %q: %w", text, err)
		}
	}
	if seen["for"] && seen["min"] {
		return p, fmt.Errorf("sampling policy %q: for=MACHINE counts in fills of the machine: want waves=N in the place of min=N", text)
	}
	return p, nil
}

func (p *Policy) parseKind(name, value string, given bool) error {
	p.Kind = name
	switch {
	case name == "auto":
		p.Fraction, p.Launches = DefaultAutoFraction, DefaultLaunches
		p.FewWaves, p.Waves = DefaultAutoFewWaves, DefaultAutoWaves
		if !given {
			return nil
		}
		return parseFraction(&p.Fraction, name, value)
	case name == "fraction":
		return parseFraction(&p.Fraction, name, value)
	case name == "count":
		return parseCount(&p.Count, name, value)
	case name == "stratified" && !given:
		return nil
	case name == "stratified":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxStrata {
			return fmt.Errorf("stratified=%s: want a number of strata from 1 to %d", value, maxStrata)
		}
		p.Strata = n
		return nil
	case name == "sms":
		return p.parseSlices(value)
	}
	return errPolicy
}

func (p *Policy) parseSlices(value string) error {
	kept, all, ok := strings.Cut(value, "/")
	k, err := strconv.ParseUint(kept, 10, 32)
	n, err2 := strconv.ParseUint(all, 10, 32)
	if !ok || err != nil || err2 != nil || k < 1 || n < 1 || n > maxSlices {
		return fmt.Errorf("sms=%s: want K/N, K of N equal parts of the SMs, N at most %d", value, maxSlices)
	}
	if k > n {
		return fmt.Errorf("sms=%s: there are only %d parts", value, n)
	}
	p.Kept, p.All, p.Fraction, p.Run = uint32(k), uint32(n), 1, 0
	return nil
}

func (p *Policy) parseModifier(name, value string, given bool) error {
	switch name {
	case "launches":
		p.Launches = DefaultLaunches
		if !given {
			return nil
		}
		return parseFraction(&p.Launches, name, value)
	case "fraction":
		if p.Kind != "stratified" && p.Kind != "sms" {
			return fmt.Errorf("%s has no fraction; put fraction=F first", p.Kind)
		}
		return parseFraction(&p.Fraction, name, value)
	case "run":
		return parseCount(&p.Run, name, value)
	case "min":
		p.FewWaves, p.Waves = 0, 0
		return parseCount(&p.Minimum, name, value)
	case "waves":
		return p.parseWaves(value)
	case "work":
		return parseCount(&p.Work, name, value)
	case "for":
		if p.Waves == 0 && p.Kind != "sms" {
			p.Waves = DefaultAutoWaves
		}
		f, err := ParseFill(value)
		p.For = f
		return err
	case "seed":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("seed=%s: want a whole number", value)
		}
		p.Seed = n
		return nil
	}
	return errPolicy
}

// parseWaves reads a number, or one for long thread blocks and one for the others.
func (p *Policy) parseWaves(value string) error {
	p.FewWaves = 0
	few, most, both := strings.Cut(value, "-")
	if !both {
		return parseCount(&p.Waves, "waves", value)
	}
	if err := parseCount(&p.FewWaves, "waves", few); err != nil {
		return err
	}
	if err := parseCount(&p.Waves, "waves", most); err != nil {
		return err
	}
	if p.FewWaves > p.Waves {
		return fmt.Errorf("waves=%s: want the smaller number first", value)
	}
	return nil
}

func parseFraction(to *float64, name, value string) error {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f > 0 && f <= 1) {
		return fmt.Errorf("%s=%s: want a number above 0 and at most 1", name, value)
	}
	*to = f
	return nil
}

func parseCount(to *uint64, name, value string) error {
	n, err := strconv.ParseUint(value, 10, 62)
	if err != nil || n == 0 {
		return fmt.Errorf("%s=%s: want a whole number of at least 1", name, value)
	}
	*to = n
	return nil
}

// String is the policy in full: Parse gives the same policy back.
func (p Policy) String() string {
	var b strings.Builder
	switch p.Kind {
	case "auto":
		fmt.Fprintf(&b, "auto=%v", p.Fraction)
	case "fraction":
		fmt.Fprintf(&b, "fraction=%v", p.Fraction)
	case "count":
		fmt.Fprintf(&b, "count=%d", p.Count)
	case "stratified":
		fmt.Fprintf(&b, "stratified=%d,fraction=%v", p.Strata, p.Fraction)
	case "sms":
		fmt.Fprintf(&b, "sms=%d/%d", p.Kept, p.All)
		if p.Fraction < 1 {
			fmt.Fprintf(&b, ",fraction=%v", p.Fraction)
		}
	}
	if p.Launches < 1 || p.Kind == "auto" {
		fmt.Fprintf(&b, ",launches=%v", p.Launches)
	}
	if p.Kind != "sms" || p.Fraction < 1 {
		if p.Kind != "sms" || p.Run > 0 {
			fmt.Fprintf(&b, ",run=%d", p.Run)
		}
		switch {
		case p.FewWaves > 0:
			fmt.Fprintf(&b, ",waves=%d-%d", p.FewWaves, p.Waves)
		case p.Waves > 0:
			fmt.Fprintf(&b, ",waves=%d", p.Waves)
		default:
			fmt.Fprintf(&b, ",min=%d", p.Minimum)
		}
		if p.NeedsProfile() {
			fmt.Fprintf(&b, ",work=%d", p.Work)
		}
	}
	if p.Waves > 0 || p.Kind == "sms" {
		fmt.Fprintf(&b, ",for=%s", p.For)
	}
	fmt.Fprintf(&b, ",seed=%d", p.Seed)
	return b.String()
}

// everything reports whether the policy stores all there is.
func (p Policy) everything() bool {
	whole := p.Launches == 1
	switch p.Kind {
	case "auto", "fraction", "stratified":
		return whole && p.Fraction == 1
	case "sms":
		return whole && p.Kept == p.All && p.Fraction == 1
	}
	return false
}

// NeedsProfile reports whether the choice depends on what the thread blocks do,
// so that the program has to run twice: first into a Profile, then into a Recorder.
func (p Policy) NeedsProfile() bool {
	return !p.everything() && (p.Kind == "auto" || p.Kind == "stratified" || p.Launches < 1 || p.FewWaves > 0)
}
