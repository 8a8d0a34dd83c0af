// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/sample"

	// The mechanisms' overlays and counters.
	_ "github.com/warptape/warptape/timing/mechanisms"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func TestSpacesAreAllCombinations(t *testing.T) {
	s, err := ParseSpace([]string{"a=1,2", "b=x,y,z"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range s.Variants() {
		seen[v["a"]+v["b"]] = true
	}
	if len(seen) != 6 || len(s.Variants()) != 6 || s.Variants()[1]["b"] != "y" {
		t.Errorf("variants %v", s.Variants())
	}
	for text, want := range map[string]string{"a": "want NAME=VALUE", "a=1,": "want NAME=VALUE", "=1": "want NAME=VALUE", "a=1,1": "given twice"} {
		if _, err := ParseSpace([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	big := "=" + strings.TrimSuffix(strings.Repeat("0,", 0)+numbers(400), ",")
	if _, err := ParseSpace([]string{"a" + big, "b" + big}); err == nil || !strings.Contains(err.Error(), "more than 100000 variants") {
		t.Errorf("too many: got %v", err)
	}
	if _, err := ParseSpace([]string{"a=1", "a=2"}); err == nil {
		t.Error("a name twice was taken")
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("1", i+1) + ",")
	}
	return b.String()
}

// work is a kernel that loops as often as it is told. Its time in the model goes with the
// number of trips, so that the order of variants is known.
const work = `.version 6.3
.target sm_70
.address_size 64
.visible .entry work(.param .u32 trips)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [trips];
	mov.u32 %r2, 0;
again:
	mad.lo.s32 %r2, %r2, 3, 1;
	add.s32 %r1, %r1, -1;
	setp.gt.s32 %p1, %r1, 0;
	@%p1 bra again;
	ret;
}
`

const program = `sizes = {"small": {"trips": 10, "block": 64}}

def main(p):
    if p.block > 512:
        fail("block must be at most 512")
    m = gpu.module("work.ptx")
    gpu.launch(m.work, grid=2000, block=p.block, args=[u32(p.trips)], independent=True)
`

func job(t *testing.T, policy string) *Job {
	t.Helper()
	p, err := host.Load(fstest.MapFS{"p.star": {Data: []byte(program)}, "work.ptx": {Data: []byte(work)}}, "p.star")
	if err != nil {
		t.Fatal(err)
	}
	m, err := arch.Load("rtx3090")
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Program: p, Seed: 1, Machine: m}
	if policy != "" {
		parsed, err := sample.Parse(policy)
		if err != nil {
			t.Fatal(err)
		}
		j.Sample = &parsed
	}
	return j
}

// Variants come out in the order of their work, whole and from a sample that executes few
// thread blocks, with any number of workers. The true time is inside the sample's interval.
func TestVariantsAreRankedByTheirWork(t *testing.T) {
	space, err := ParseSpace([]string{"trips=20,5,80", "block=64,1024"})
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]float64{}
	for _, c := range []struct {
		policy  string
		workers int
	}{{"", 1}, {"sms=1/82,fraction=0.01,waves=4,for=82x16/1536/65536/102400/6291456", 3}} {
		outcomes, err := job(t, c.policy).All(context.Background(), space.Variants(), c.workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := Rank(outcomes, Evidence{})
		var order []string
		for i := range r.Order {
			v := &r.Order[i]
			order = append(order, v.Set["trips"])
			if c.policy == "" {
				if v.Low != v.High || v.Low != v.Nanoseconds {
					t.Errorf("without a sample: %+v", v)
				}
				whole[v.Set["trips"]] = v.Nanoseconds
			} else if truth := whole[v.Set["trips"]]; truth < v.Low || truth > v.High {
				t.Errorf("trips %s: %v ns, the sample says %v to %v", v.Set["trips"], truth, v.Low, v.High)
			}
		}
		if strings.Join(order, " ") != "5 20 80" {
			t.Errorf("%q: order %v", c.policy, order)
		}
		reasons := r.Reasons()
		if len(reasons) != 1 || reasons[0].Count != 3 || !strings.Contains(reasons[0].Text, "block must be at most 512") {
			t.Errorf("refused: %+v", reasons)
		}
	}
}

func TestParametersAreCheckedBeforeAnythingRuns(t *testing.T) {
	for text, want := range map[string]string{"trip=1": "trip", "trips=many": "trips"} {
		space, err := ParseSpace([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		if err := job(t, "").Check(space); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestATuningStops(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	reason := errors.New("enough")
	stop(reason)
	if _, err := job(t, "").All(ctx, []map[string]string{{"trips": "1"}}, 2, nil); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

// Evidence counts pairs: of variants within 2 % of each other half may be the wrong way
// round, those far apart are not.
func TestEvidenceIsTheShareOfPairsInTheModelsOrder(t *testing.T) {
	var model, measured []float64
	for i := range 12 {
		near := float64(100 + i%2)
		model = append(model, near, 1000+near)
		wrong := float64(i % 4 / 2) // half of the near ones
		measured = append(measured, 50+wrong+float64(i)*1e-3, 500+wrong+float64(i)*1e-3)
	}
	e := Compare("24 variants", model, measured)
	pairs := 0
	for _, c := range e.Classes {
		pairs += c.Pairs
	}
	if pairs != 24*23/2 {
		t.Errorf("%d pairs", pairs)
	}
	if far := e.Sure(9); far != 1 {
		t.Errorf("far apart: sure %v", far)
	}
	if near := e.Sure(1.01); !(near > 0.2 && near < 0.8) {
		t.Errorf("near: sure %v", near)
	}
	if !math.IsNaN(e.Sure(1)) || !math.IsNaN((&Evidence{}).Sure(3)) || !math.IsNaN(e.Sure(1.3)) {
		t.Error("a share of no pairs")
	}
	for ratio, want := range map[float64]int{1: 0, 1.019: 0, 1.02: 1, 1.3: 4, 1e9: len(Edges) - 1} {
		if got := class(ratio); got != want {
			t.Errorf("ratio %v is in class %d, want %d", ratio, got, want)
		}
	}
}
