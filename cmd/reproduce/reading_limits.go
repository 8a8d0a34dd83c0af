// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
)

// beyond is where ours lies: +1 over the limit, -1 under it, 0 within the band.
func (l Limit) beyond(x *subject) float64 {
	switch c := x.band.change(x.ours, float64(l), float64(l)); {
	case c > 0:
		return 1
	case c < 0:
		return -1
	}
	return 0
}

func (l Limit) check() error { return checkScale(float64(l), 0) }

// side judges a limit that is no part of what is claimed.
func (l Limit) side(x *subject, want float64) Verdict {
	switch l.beyond(x) {
	case 0:
		return Verdict{Outcome: AtTheLimit}
	case want:
		return Verdict{Outcome: AsSaid}
	}
	return Verdict{Outcome: NotAsSaid}
}

// notBeyond judges a limit that is part of what is claimed.
func (l Limit) notBeyond(x *subject, bad float64) Verdict {
	if l.beyond(x) == bad {
		return Verdict{Outcome: NotAsSaid, Detail: percentOf((x.ours - float64(l)) / float64(l))}
	}
	return Verdict{Outcome: AsSaid}
}

func (o Over) judge(x *subject) Verdict { return o.side(x, 1) }
func (o Over) String() string           { return "over " + number(float64(o.Limit)) }

// Short implements reading.
func (o Over) Short() string { return "> " + number(float64(o.Limit)) }

func (u Under) judge(x *subject) Verdict { return u.side(x, -1) }
func (u Under) String() string           { return "under " + number(float64(u.Limit)) }

// Short implements reading.
func (u Under) Short() string { return "< " + number(float64(u.Limit)) }

func (n NotLess) judge(x *subject) Verdict { return n.notBeyond(x, -1) }
func (n NotLess) String() string           { return number(float64(n.Limit)) + " or more" }

// Short implements reading.
func (n NotLess) Short() string { return ">= " + number(float64(n.Limit)) }

func (n NotMore) judge(x *subject) Verdict { return n.notBeyond(x, 1) }
func (n NotMore) String() string           { return number(float64(n.Limit)) + " or less" }

// Short implements reading.
func (n NotMore) Short() string { return "<= " + number(float64(n.Limit)) }

func (p PoorPortion) judge(x *subject) Verdict {
	saved := Change{Than: 0, Scale: x.mean}
	switch v := saved.judge(x, 1); {
	case !(x.mean > 0):
		return Verdict{Outcome: NoValue}
	case v.Outcome != SameDirection:
		return v
	case Percent(x.ours, x.mean) > p.Most+rounding:
		return Verdict{Outcome: MoreThanSaid, Detail: fmt.Sprintf("%.0f %% of the mean", Percent(x.ours, x.mean))}
	}
	return Verdict{Outcome: AsSaid, Detail: fmt.Sprintf("%.0f %% of the mean", Percent(x.ours, x.mean))}
}

func (p PoorPortion) String() string {
	return fmt.Sprintf("more than 0, at most %g %% of the mean", p.Most)
}

// Short implements reading.
func (p PoorPortion) Short() string { return "poor" }

func (p PoorPortion) check() error {
	if !(0 < p.Most && p.Most < 100) {
		return fmt.Errorf("a portion of %g %%", p.Most)
	}
	return nil
}

// among judges whether ours is one of the so many most extreme rows in a direction.
// Rows within the band of ours are equal to it; where they decide, there is no
// effect.
func (r *Rank) among(x *subject, direction float64) Verdict {
	before, after := 0, 0
	for _, v := range x.others {
		scale := max(math.Abs(x.ours), math.Abs(v), rounding)
		if r.Scale != 0 {
			scale = r.Scale
		}
		switch c := direction * x.band.change(v, x.ours, scale); {
		case c > 0:
			before++
		case c < 0:
			after++
		}
	}
	switch {
	case before >= r.Rows:
		return Verdict{Outcome: NotAsSaid, Detail: fmt.Sprintf("%d of %d rows come before", before, len(x.others)+1)}
	case after+r.Rows > len(x.others):
		return Verdict{Outcome: AsSaid}
	}
	return Verdict{Outcome: NoEffect, Detail: "rows are equal"}
}

func (r *Rank) words(word string) string {
	if r.Rows == 1 {
		return "the " + word + " row"
	}
	return fmt.Sprintf("among the %d %s rows", r.Rows, word)
}

func (r *Rank) check() error {
	if r.Rows < 1 || r.Scale < 0 {
		return fmt.Errorf("%d rows, a scale of %g", r.Rows, r.Scale)
	}
	return nil
}

func (h Highest) judge(x *subject) Verdict { return h.Rank.among(x, 1) }
func (h Highest) String() string           { return h.words("highest") }

// Short implements reading.
func (h Highest) Short() string { return "highest" }
func (h Highest) check() error  { return h.Rank.check() }

func (l Lowest) judge(x *subject) Verdict { return l.Rank.among(x, -1) }
func (l Lowest) String() string           { return l.words("lowest") }

// Short implements reading.
func (l Lowest) Short() string { return "lowest" }
func (l Lowest) check() error  { return l.Rank.check() }

func (i Input) judge(*subject) Verdict { return Verdict{Outcome: InputOnly, Detail: i.Because} }
func (i Input) String() string         { return number(i.Value) }

// Short implements reading.
func (i Input) Short() string { return "input " + number(i.Value) }

func (i Input) check() error { return checkReason(i.Because) }

func (u Unable) judge(*subject) Verdict { return Verdict{Outcome: NotShown, Detail: u.Because} }
func (u Unable) String() string         { return "-" }

// Short implements reading.
func (u Unable) Short() string { return "cannot be shown" }

func (u Unable) check() error { return checkReason(u.Because) }

func checkReason(because string) error {
	if because == "" {
		return fmt.Errorf("it needs a reason (because)")
	}
	return nil
}
