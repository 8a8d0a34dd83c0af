// SPDX-License-Identifier: Apache-2.0

// Package samefloat holds elementary functions that give the same bits on every
// processor. Those of package math do not: some have assembly on some processors, and
// the rest is Go that a compiler may contract to fused multiply-adds (Go specification,
// "Floating-point operators"). What is compared by its bytes (energies, samples,
// choices of the encoder) uses these.
//
// Every product that is added to something is rounded by an explicit conversion, or is
// an explicit math.FMA. Errors stay below 0.51 units in the last place.
package samefloat

import "math"

// double is an unevaluated sum of two numbers, the second below half a unit in the last
// place of the first.
type double struct{ hi, lo float64 }

// sum adds two numbers; the first is the larger one.
func sum(a, b float64) double {
	a, b = float64(a), float64(b) // also a product that is inlined
	s := a + b
	return double{s, b - (s - a)}
}

func (x double) times(y double) double {
	p := float64(x.hi * y.hi)
	e := math.FMA(x.hi, y.hi, -p)
	return sum(p, e+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

func (x double) plus(y double) double {
	s := x.hi + y.hi
	b := s - x.hi
	e := (x.hi - (s - b)) + (y.hi - b)
	return sum(s, e+(x.lo+y.lo))
}

func (x double) over(n float64) double {
	q := x.hi / n
	return sum(q, (math.FMA(-q, n, x.hi)+x.lo)/n)
}

// ln2 and its inverse to some 106 bits.
var (
	ln2    = double{math.Ln2, 2.3190468138462996e-17}
	invLn2 = double{math.Log2E, 2.0355273740931033e-17}
)

// slowExp is e^x for small x, by its series on x/256.
func slowExp(x double) double {
	y := x.over(256)
	term, s := double{1, 0}, double{1, 0}
	for n := 1.0; n < 14; n++ {
		term = term.times(y).over(n)
		s = s.plus(term)
	}
	for range 8 {
		s = s.times(s)
	}
	return s
}

const (
	expSteps = 64
	logSteps = 128
)

var (
	powers [expSteps]double     // 2^(i/expSteps)
	logs   [logSteps + 1]double // the logarithm of 1 + i/logSteps
)

func init() {
	for i := range powers {
		powers[i] = slowExp(ln2.times(double{float64(i) / expSteps, 0}))
	}
	for i := range logs {
		logs[i] = slowLog(1 + float64(float64(i)/logSteps))
	}
}

// slowLog is the logarithm of x from 1 to 2: Newton's method on slowExp, from the series
// of the inverse hyperbolic tangent.
func slowLog(x float64) double {
	z := (x - 1) / (x + 1)
	guess, power := 0.0, z
	for n := 1.0; n < 60; n += 2 {
		guess += 2 * power / n
		power = float64(power * float64(z*z))
	}
	y := double{guess, 0}
	for range 2 {
		e := slowExp(double{-y.hi, -y.lo}).times(double{x, 0}).plus(double{-1, 0})
		y = y.plus(e).plus(e.times(e).over(-2))
	}
	return y
}

// small is e^r - 1 for |r| below 0.006.
func small(r double) double {
	x := r.hi
	p := 1.0 / 720
	p = 1.0/120 + float64(x*p)
	p = 1.0/24 + float64(x*p)
	p = 1.0/6 + float64(x*p)
	p = 1.0/2 + float64(x*p)
	return sum(x, float64(float64(x*x)*p)+(r.lo+float64(x*r.lo)))
}

// scaled is 2^(k/expSteps) e^r.
func scaled(k int, r double) float64 {
	t := powers[k&(expSteps-1)]
	e := small(r)
	p := t.times(e)
	s := sum(t.hi, p.hi+(p.lo+t.lo))
	return math.Ldexp(s.hi, (k-k&(expSteps-1))/expSteps)
}

// Exp is e^x.
func Exp(x float64) float64 {
	switch {
	case x != x || x > 710:
		return x * math.Inf(1)
	case x < -746:
		return 0
	}
	k := math.Round(x * (expSteps / math.Ln2))
	r := math.FMA(-k, ln2.hi/expSteps, x) // rounded once
	return scaled(int(k), sum(r, -float64(k*(ln2.lo/expSteps))))
}

// Exp2 is 2^x.
func Exp2(x float64) float64 {
	switch {
	case x != x || x > 1025:
		return x * math.Inf(1)
	case x < -1080:
		return 0
	}
	k := math.Round(x * expSteps)
	r := x - float64(k/expSteps) // exact
	return scaled(int(k), ln2.times(double{r, 0}))
}

// parts is x = m 2^e with m from about 0.7 to 1.4, and the logarithm of m.
func parts(x float64) (log double, e float64) {
	m, exponent := math.Frexp(x)
	m, exponent = m*2, exponent-1
	if m > math.Sqrt2 {
		m, exponent = m/2, exponent+1
	}
	base, of := 1.0, 2.0*m // m = base * of/2 or so
	i := 0
	if m >= 1 {
		i = int(math.Round((m - 1) * logSteps))
		base, of = 1+float64(float64(i)/logSteps), m
		log = logs[i]
	} else {
		i = int(math.Round((of - 1) * logSteps))
		base = 1 + float64(float64(i)/logSteps)
		log = logs[i].plus(double{-ln2.hi, -ln2.lo})
		if i == logSteps {
			log = double{}
		}
	}
	u := of - base // exact
	q := u / base
	low := math.FMA(-q, base, u) / base
	p := 1.0 / 9
	p = -1.0/8 + float64(q*p)
	p = 1.0/7 + float64(q*p)
	p = -1.0/6 + float64(q*p)
	p = 1.0/5 + float64(q*p)
	p = -1.0/4 + float64(q*p)
	p = 1.0/3 + float64(q*p)
	square := double{q, low}.times(double{q, low})
	tail := double{q, low}.plus(square.over(-2)).plus(double{float64(float64(square.hi*q) * p), 0})
	return log.plus(tail), float64(exponent)
}

// Log is the natural logarithm.
func Log(x float64) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return special(x)
	}
	log, e := parts(x)
	s := ln2.times(double{e, 0}).plus(log)
	return s.hi + s.lo
}

// Log2 is the binary logarithm, exact for powers of two.
func Log2(x float64) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return special(x)
	}
	log, e := parts(x)
	s := double{e, 0}.plus(log.times(invLn2))
	return s.hi + s.lo
}

func special(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x > 0:
		return x
	}
	return math.NaN()
}

// Hypot is the square root of p^2 + q^2.
func Hypot(p, q float64) float64 {
	p, q = math.Abs(p), math.Abs(q)
	switch {
	case math.IsInf(p, 0) || math.IsInf(q, 0):
		return math.Inf(1)
	case p < q:
		p, q = q, p
	}
	if p == 0 {
		return p + q
	}
	q /= p
	return p * math.Sqrt(1+float64(q*q))
}
