// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
)

// subject is what a reading judges.
type subject struct {
	ours float64
	band Band
	// others are the values of the other rows of the same series, without means; mean
	// is that of the row "mean".
	others []float64
	mean   float64
}

// reading is a claim in numbers.
type reading interface {
	// judge compares ours with it; ours is a number.
	judge(x *subject) Verdict
	// String is the reading in words and numbers, Short as a table has it in brackets.
	String() string
	Short() string
	// check says what is wrong with the numbers.
	check() error
}

// The kinds of readings. Each is a key of published/*.yaml.
type (
	// Number is a value that the text states. Neutral is the value without any effect,
	// from which effects are measured; without it the values themselves are compared.
	Number struct {
		Value   *float64 `yaml:"value"`
		Neutral *float64 `yaml:"neutral"`
		Scale   float64  `yaml:"scale"`
	}
	// More is a direction from the value without effect, Than. By is the least
	// and Most the greatest change that the words allow, in percent of Than, or of Scale
	// where Than is zero.
	More struct{ Change }
	// Less is it with the other direction.
	Less struct{ Change }
	// Half is "cut in half": half of Of, to a tenth.
	Half struct {
		Of float64 `yaml:"of"`
	}
	// Little is "little improvement", "not affected", "similar": a loss and a gain of at
	// most so many percent of Neutral.
	Little struct {
		Neutral float64 `yaml:"neutral"`
		Loss    float64 `yaml:"loss"`
		Gain    float64 `yaml:"gain"`
	}
	// About is a value to so many percent of it, or of Scale where it is zero.
	About struct {
		Value  float64 `yaml:"value"`
		Within float64 `yaml:"within"`
		Scale  float64 `yaml:"scale"`
	}
	// Between is a range, its ends included.
	Between struct {
		From float64 `yaml:"from"`
		To   float64 `yaml:"to"`
	}
	// Limit is a value that is not one without effect.
	Limit float64
	// Over is above a limit.
	Over struct{ Limit }
	// Under is below a limit.
	Under struct{ Limit }
	// NotLess is at a limit or above it.
	NotLess struct{ Limit }
	// NotMore is at a limit or below it.
	NotMore struct{ Limit }
	// PoorPortion is something, and at most so many percent of the mean.
	PoorPortion struct {
		Most float64 `yaml:"most"`
	}
	// Highest is to be among the so many highest rows, Lowest among the lowest. Rows
	// differ by more than the band in parts of Scale, or of the greater of both.
	Highest struct{ Rank }
	// Lowest is to be among the lowest rows.
	Lowest struct{ Rank }
	// Rank is a number of rows.
	Rank struct {
		Rows  int     `yaml:"rows"`
		Scale float64 `yaml:"scale"`
	}
	// Input is a value that ours was made from, and that it cannot confirm.
	Input struct {
		Value   float64 `yaml:"value"`
		Because string  `yaml:"because"`
	}
	// Unable is something that the study's programs or figures cannot show.
	Unable struct {
		Because string `yaml:"because"`
	}
)

// Change is a direction and its degree.
type Change struct {
	Than  float64 `yaml:"than"`
	By    float64 `yaml:"by"`
	Most  float64 `yaml:"most"` // zero: without end
	Scale float64 `yaml:"scale"`
}

func (n Number) judge(x *subject) Verdict {
	if n.Neutral == nil {
		ratio := x.ours / *n.Value
		return Verdict{Outcome: OfEffect, Detail: fmt.Sprintf("%.2f of it", ratio), Ratio: ratio}
	}
	ratio := (x.ours - *n.Neutral) / (*n.Value - *n.Neutral)
	detail := fmt.Sprintf("effect x %.2f", ratio)
	switch c := x.band.change(x.ours, *n.Neutral, scaleOf(*n.Neutral, n.Scale)); {
	case c == 0:
		return Verdict{Outcome: NoEffect}
	case c > 0 != (*n.Value > *n.Neutral):
		return Verdict{Outcome: OtherDirection, Detail: detail, Ratio: ratio}
	}
	return Verdict{Outcome: OfEffect, Detail: detail, Ratio: ratio}
}

func (n Number) String() string {
	if n.Neutral == nil {
		return number(*n.Value)
	}
	return fmt.Sprintf("%s, an effect from %s", number(*n.Value), number(*n.Neutral))
}

// Short implements reading.
func (n Number) Short() string { return number(*n.Value) }

func (n Number) check() error {
	switch {
	case n.Value == nil:
		return fmt.Errorf("a number needs a value")
	case n.Neutral == nil && *n.Value == 0:
		return fmt.Errorf("nothing can be compared with zero by its ratio; use about")
	case n.Neutral != nil && *n.Value == *n.Neutral:
		return fmt.Errorf("a value that is the neutral one is no effect; use about or little")
	case n.Neutral == nil:
		return nil
	}
	return checkScale(*n.Neutral, n.Scale)
}

// scaleOf is what changes from a value are parts of.
func scaleOf(reference, scale float64) float64 {
	if scale != 0 {
		return scale
	}
	return math.Abs(reference)
}

func checkScale(reference, scale float64) error {
	if !(scaleOf(reference, scale) > 0) {
		return fmt.Errorf("a change from zero needs a scale")
	}
	return nil
}

// judge says what a change in a direction is: +1 up, -1 down.
func (c *Change) judge(x *subject, direction float64) Verdict {
	change := direction * x.band.change(x.ours, c.Than, scaleOf(c.Than, c.Scale))
	detail := ""
	if c.By > 0 || c.Most > 0 {
		detail = percentOf(direction * change)
	}
	switch {
	case change == 0:
		return Verdict{Outcome: NoEffect}
	case change < 0:
		return Verdict{Outcome: OtherDirection, Detail: detail}
	case 100*change < c.By-rounding:
		return Verdict{Outcome: LessThanSaid, Detail: detail}
	case c.Most > 0 && 100*change > c.Most+rounding:
		return Verdict{Outcome: MoreThanSaid, Detail: detail}
	case detail != "":
		return Verdict{Outcome: AsSaid, Detail: detail}
	}
	return Verdict{Outcome: SameDirection}
}

func (c *Change) words(word string) string {
	unit := " %"
	if c.Than == 0 {
		unit = " % of " + number(c.Scale)
	}
	s := word + " than " + number(c.Than)
	switch {
	case c.By > 0 && c.Most > 0:
		s += fmt.Sprintf(", by %g to %g%s", c.By, c.Most, unit)
	case c.By > 0:
		s += fmt.Sprintf(", by at least %g%s", c.By, unit)
	case c.Most > 0:
		s += fmt.Sprintf(", by at most %g%s", c.Most, unit)
	}
	return s
}

func (c *Change) check() error {
	if c.By < 0 || c.Most < 0 || c.Most > 0 && c.Most <= c.By {
		return fmt.Errorf("a change of %g to %g %%", c.By, c.Most)
	}
	return checkScale(c.Than, c.Scale)
}

func (m More) judge(x *subject) Verdict { return m.Change.judge(x, 1) }
func (m More) String() string           { return m.words("more") }

// Short implements reading.
func (m More) Short() string { return "> " + number(m.Than) }
func (m More) check() error  { return m.Change.check() }

func (l Less) judge(x *subject) Verdict { return l.Change.judge(x, -1) }
func (l Less) String() string           { return l.words("less") }

// Short implements reading.
func (l Less) Short() string { return "< " + number(l.Than) }
func (l Less) check() error  { return l.Change.check() }

// halfPercent are the changes that "cut in half" is read as.
var halfPercent = Change{By: 45, Most: 55}

func (h Half) judge(x *subject) Verdict {
	c := halfPercent
	c.Than = h.Of
	return c.judge(x, -1)
}

func (h Half) String() string {
	return fmt.Sprintf("half of %s, to a tenth: %s to %s", number(h.Of), number(h.Of*(1-halfPercent.Most/100)), number(h.Of*(1-halfPercent.By/100)))
}

// Short implements reading.
func (h Half) Short() string { return number(h.Of / 2) }
func (h Half) check() error  { return checkScale(h.Of, 0) }

// inside says whether a change lies within a loss and a gain, all in percent. One that
// lies outside by no more than the band is at the limit.
func inside(change, loss, gain float64, band Band) Verdict {
	detail, margin := percentOf(change/100), float64(100*float64(band))
	switch {
	case change >= -loss-rounding && change <= gain+rounding:
		return Verdict{Outcome: AsSaid, Detail: detail}
	case change >= -loss-margin && change <= gain+margin:
		return Verdict{Outcome: AtTheLimit, Detail: detail}
	}
	return Verdict{Outcome: NotAsSaid, Detail: detail}
}

func (l Little) judge(x *subject) Verdict {
	return inside(100*(x.ours-l.Neutral)/math.Abs(l.Neutral), l.Loss, l.Gain, x.band)
}

func (l Little) String() string {
	return fmt.Sprintf("between -%g and +%g %% of %s", l.Loss, l.Gain, number(l.Neutral))
}

// Short implements reading.
func (l Little) Short() string { return "about " + number(l.Neutral) }

func (l Little) check() error {
	if l.Loss < 100*float64(DeadBand) || l.Gain < 100*float64(DeadBand) {
		return fmt.Errorf("a loss of %g and a gain of %g %% are less than the dead band", l.Loss, l.Gain)
	}
	return checkScale(l.Neutral, 0)
}

func (a About) judge(x *subject) Verdict {
	return inside(100*(x.ours-a.Value)/scaleOf(a.Value, a.Scale), a.Within, a.Within, x.band)
}

func (a About) String() string {
	if a.Value == 0 {
		return fmt.Sprintf("0, within %g %% of %s", a.Within, number(a.Scale))
	}
	return fmt.Sprintf("%s, within %g %% of it", number(a.Value), a.Within)
}

// Short implements reading.
func (a About) Short() string { return "about " + number(a.Value) }

func (a About) check() error {
	if a.Within < 100*float64(DeadBand) {
		return fmt.Errorf("%g %% is less than the dead band", a.Within)
	}
	return checkScale(a.Value, a.Scale)
}

func (b Between) judge(x *subject) Verdict {
	switch {
	case x.band.change(x.ours, b.From, b.From) < 0:
		return Verdict{Outcome: NotAsSaid, Detail: "below"}
	case x.band.change(x.ours, b.To, b.To) > 0:
		return Verdict{Outcome: NotAsSaid, Detail: "above"}
	}
	return Verdict{Outcome: AsSaid}
}

func (b Between) String() string { return number(b.From) + " to " + number(b.To) }

// Short implements reading.
func (b Between) Short() string { return b.String() }

func (b Between) check() error {
	if !(0 < b.From && b.From < b.To) {
		return fmt.Errorf("a range from %g to %g", b.From, b.To)
	}
	return nil
}
