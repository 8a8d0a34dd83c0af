// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

func TestAChoiceIsLeftWhereTheBestCompanionDoesNotKnowEnough(t *testing.T) {
	// The companion saves less than it must, and is so much better than the uniform
	// choice that this one is too far off.
	uniform := triedChoice{choice: lanecode.Choice{Model: lanecode.ModelUniform}, bits: 1000}
	companion := triedChoice{choice: lanecode.Choice{Model: lanecode.ModelCompanion}, bits: 950}
	e := Encoder{tried: []triedChoice{uniform, companion}}
	e.keepBest(960, 900)
	if len(e.tried) != 1 || e.tried[0].choice != uniform.choice {
		t.Errorf("what is left is %v, want the uniform choice", e.tried)
	}
}

func TestTrialsAlwaysLeaveAChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	models := []int{lanecode.ModelUniform, lanecode.ModelFixed, lanecode.ModelCompanion}
	for range 2000 {
		var e Encoder
		for range 1 + r.IntN(5) {
			e.tried = append(e.tried, triedChoice{choice: lanecode.Choice{Model: models[r.IntN(len(models))], Step: uint(r.IntN(3))}, bits: float64(r.IntN(100))})
		}
		e.keepBest(float64(r.IntN(100)), float64(r.IntN(100)))
		if len(e.tried) == 0 {
			t.Fatal("nothing is left")
		}
	}
}
