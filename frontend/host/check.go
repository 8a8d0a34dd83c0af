// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/array"
)

// CheckError is a result that differs from its reference.
type CheckError struct {
	// Name is what was checked; Index is the first element that differs, in
	// row-major order, and Shape the array's.
	Name  string
	Index int
	Shape []int
	// Got and Want are that element, Relative and Absolute the tolerance.
	Got, Want          string
	Relative, Absolute float64
	// Different of Total elements differ.
	Different, Total int
}

func (e *CheckError) Error() string {
	tolerance := "exactly"
	if e.Relative != 0 || e.Absolute != 0 {
		tolerance = fmt.Sprintf("within a relative %g or an absolute %g", e.Relative, e.Absolute)
	}
	return fmt.Sprintf("check of %s failed: %d of %d elements differ from the reference; first %s[%s] is %s, want %s %s",
		e.Name, e.Different, e.Total, e.Name, indexes(e.Index, e.Shape), e.Got, e.Want, tolerance)
}

// indexes writes a row-major index as one for each dimension: "3, 5".
func indexes(at int, shape []int) string {
	out := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		out[d] = fmt.Sprint(at % shape[d])
		at /= shape[d]
	}
	return strings.Join(out, ", ")
}

func (r *run) checkModule() *starlarkstruct.Module {
	return r.members("check", map[string]function{
		"close": r.checkClose, "equal": r.checkEqual, "that": r.checkThat,
	})
}

// check.close(got, want, rel=0.0, abs=0.0, name="result") demands for every
// element |got - want| <= abs or |got - want| <= rel*|want|. NaN is close to
// nothing, an infinity to itself.
func (r *run) checkClose(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var got, want *array.Array
	var relative, absolute float64
	name := "result"
	if err := unpack(args, kwargs, "got", &got, "want", &want, "rel?", &relative, "abs?", &absolute, "name?", &name); err != nil {
		return nil, err
	}
	if !(relative >= 0 && absolute >= 0) {
		return nil, errors.New("rel and abs must not be negative")
	}
	e := CheckError{Name: name, Relative: relative, Absolute: absolute}
	return r.compare(e, got, want, func(i int) int { return array.NextApart(got, want, i, relative, absolute) })
}

// check.equal(got, want, name="result") demands equal elements of one type.
func (r *run) checkEqual(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var got, want *array.Array
	name := "result"
	if err := unpack(args, kwargs, "got", &got, "want", &want, "name?", &name); err != nil {
		return nil, err
	}
	if got.ElementType() != want.ElementType() {
		return nil, fmt.Errorf("%s: got %s, want %s: convert one of them", name, got.ElementType(), want.ElementType())
	}
	return r.compare(CheckError{Name: name}, got, want, func(i int) int { return array.NextDifferent(got, want, i) })
}

// compare demands equal shapes, and that next finds no element from a place on.
func (r *run) compare(e CheckError, got, want *array.Array, next func(i int) int) (starlark.Value, error) {
	if !slices.Equal(got.Shape(), want.Shape()) {
		return nil, fmt.Errorf("%s: got shape %v, want %v", e.Name, got.Shape(), want.Shape())
	}
	e.Total, e.Shape = got.Len(), got.Shape()
	r.space.Work(uint64(e.Total))
	for i := next(0); i < e.Total; i = next(i + 1) {
		if e.Different == 0 {
			e.Index, e.Got, e.Want = i, got.Element(i).String(), want.Element(i).String()
		}
		e.Different++
	}
	if e.Different > 0 {
		return nil, &e
	}
	r.result.Checks++
	return starlark.None, nil
}

// check.that(condition, message) demands a condition.
func (r *run) checkThat(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var condition bool
	var message string
	if err := unpack(args, kwargs, "condition", &condition, "message", &message); err != nil {
		return nil, err
	}
	if !condition {
		return nil, errors.New(message)
	}
	r.result.Checks++
	return starlark.None, nil
}
