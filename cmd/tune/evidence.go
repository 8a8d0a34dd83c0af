// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"fmt"
	"math"
)

// Edges cut ratios of two variants' times in the model into classes: from one to the
// next, the last without end.
var Edges = []float64{1, 1.02, 1.05, 1.1, 1.2, 1.5, 2}

// Class counts pairs of measured variants whose times in the model have a ratio in a
// class: Agree of Pairs were measured in the model's order.
type Class struct {
	Agree int `json:"agree"`
	Pairs int `json:"pairs"`
}

// Evidence is what measurements of cards say of the model's order of variants.
type Evidence struct {
	// Of says what was measured: "60 variants of point-in-polygon on rtx2080ti"; empty
	// when nothing was.
	Of string `json:"of"`
	// Here is set when that is the program and the machine in question.
	Here    bool    `json:"-"`
	Classes []Class `json:"classes"`
}

// Compare counts all pairs of variants with times in the model and measured ones.
func Compare(of string, model, measured []float64) Evidence {
	e := Evidence{Of: of, Classes: make([]Class, len(Edges))}
	for i := range model {
		for k := range i {
			fast, slow := i, k
			if model[fast] > model[slow] {
				fast, slow = slow, fast
			}
			if measured[fast] == measured[slow] {
				continue
			}
			c := &e.Classes[class(model[slow]/model[fast])]
			c.Pairs++
			if measured[fast] < measured[slow] {
				c.Agree++
			}
		}
	}
	return e
}

func class(ratio float64) int {
	c := 0
	for c+1 < len(Edges) && ratio >= Edges[c+1] {
		c++
	}
	return c
}

// leastPairs of a class say something.
const leastPairs = 10

// Sure is the share of measured pairs in the model's order, of those whose times in the
// model have a ratio like this one; NaN without enough of them.
func (e *Evidence) Sure(ratio float64) float64 {
	if len(e.Classes) != len(Edges) || ratio <= 1 {
		return math.NaN()
	}
	c := e.Classes[class(ratio)]
	if c.Pairs < leastPairs {
		return math.NaN()
	}
	return float64(c.Agree) / float64(c.Pairs)
}

// Add joins counts of other measurements.
func (e *Evidence) Add(o *Evidence) {
	if e.Classes == nil {
		e.Classes = make([]Class, len(Edges))
	}
	for i := range o.Classes {
		e.Classes[i].Agree += o.Classes[i].Agree
		e.Classes[i].Pairs += o.Classes[i].Pairs
	}
}

// Text says what the evidence is, in a sentence.
func (e *Evidence) Text(program, machine string) string {
	switch {
	case e.Of == "":
		return fmt.Sprintf("Nothing was measured of %s on %s, nor on a card like it: the order is the model's alone.", program, machine)
	case e.Here:
		return fmt.Sprintf("\"sure\" is how often measurements had the model's order for two variants as far apart: of %s.", e.Of)
	}
	return fmt.Sprintf("\"sure\" is how often measurements had the model's order for two variants as far apart: of %s. %s on %s was not measured.", e.Of, program, machine)
}
