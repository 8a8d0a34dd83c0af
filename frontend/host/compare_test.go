// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"testing"
	"time"

	"github.com/warptape/warptape/frontend/host"
)

// Values that lie in each other more often than anyone could go through.
const wide = `
def nested():
    l = [1]
    for _ in range(9): l = [l] * 100
    return l
def shared():
    t = (1,)
    for _ in range(60): t = (t, t)
    return t
`

func TestValuesThatLieInEachOtherTooOftenAreNotGoneThrough(t *testing.T) {
	for name, line := range map[string]string{
		"equal": "print(nested() == nested())", "not equal": "print(nested() != nested())", "less": "print(nested() < nested())",
		"in a list": "print(nested() in [nested()])", "not in": "print(nested() not in (nested(),))", "index": "[nested()].index(nested())", "remove": "[nested()].remove(nested())",
		"sorted": "sorted([nested(), nested()])", "max": "max(nested(), nested())", "sorted by a key": "sorted([1, 2], key=lambda _: nested())",
		"key": "d = {}\nd[shared()] = 1", "entry": "d = {shared(): 1}", "comprehension": "d = {shared(): x for x in [1]}", "look up": "print({}[shared()])", "key in": "print(shared() in {})",
		"get": "{}.get(shared())", "setdefault": "{}.setdefault(shared(), 1)", "pop": "{}.pop(shared(), 1)", "set": "set([shared()])", "add": "set().add(shared())", "dict": "dict([(shared(), 1)])",
		"update": "{}.update([(shared(), 1)])", "union": "set().union([shared()])", "augmented": "d = {}\nd[shared()] += 1", "struct": "print(struct(a=nested()) == struct(a=nested()))",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, wide+inMain(line)).Run(context.Background(), host.Options{MaxSteps: 1 << 20})
			wantError(t, err, "values lie in each other too often")
		})
	}
	_, err := host.Load(folder(wide+"kept = shared()\ndef main(p): pass\n"), "dir/p.star")
	wantError(t, err, "kept: values lie in each other too often to be kept")
}

// Comparisons and keys that the checks stand before are what they were.
func TestComparisonsAreThoseOfTheLanguage(t *testing.T) {
	p := load(t, "def same(got, want):\n    if repr(got) != repr(want): fail(got, want)\n"+inMain(`
a, b = [1, [2, 3]], [1, [2, 4]]
same([a == b, a != b, a < b, a <= b, a > b, a >= b], [False, True, True, True, False, False])
same([a in [b, a], a not in [b, a], 2 in (1, 2), "el" in "hello", (1, 2) in {(1, 2): 3}, 5 not in set([5])], [True, False, True, True, True, False])
d = {(1, (2, 3)): "x"}
d[1, (2, 3)] += "y"
d[(4,)] = "z"
same([d[(1, (2, 3))], d.get((4,)), d.pop((4,)), d.get((4,))], ["xy", "z", "z", None])
same(sorted([[3, 1], [2, 9], [2, 1]]), [[2, 1], [2, 9], [3, 1]])
same(sorted(["b", "a"], key=lambda s: (s,), reverse=True), ["b", "a"])
same([max([1, 2], [1, 3]), min([[4], [3]]), [a, b].index(b), dict([((1, 2), 3)])[(1, 2)]], [[1, 3], [3], 1, 3])
x = [5]
x.remove(5)
same(x, [])
same(struct(a=1) == struct(a=1), True)
`))
	if _, err := p.Run(context.Background(), host.Options{}); err != nil {
		t.Error(err)
	}
	for line, want := range map[string]string{"print([1] < 1)": "not implemented", "print(1 in 2)": "unknown binary op", "{}[[1]] = 2": "unhashable"} {
		_, err := load(t, inMain(line)).Run(context.Background(), host.Options{})
		wantError(t, err, want)
	}
}

// A run that ends while it launches names the line of the launch, though the program
// does not come back.
func TestARunThatEndsInALaunchNamesItsLine(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := load(t, inMain("b = gpu.buffer('x', array.zeros(f32, 1024))\nn = 1\ngpu.launch(m.scale, grid=4, block=256, args=[b, 1.0, 4])"))
	_, err := p.Run(ctx, host.Options{Observe: func(_ *host.LaunchView, run func() error) error {
		cancel()
		time.Sleep(400 * time.Millisecond) // longer than a program is waited for
		return run()
	}})
	wantError(t, err, "dir/p.star:5:15: in main", "context canceled")
}
