// SPDX-License-Identifier: Apache-2.0

package array

import (
	"errors"
	"fmt"
	"strconv"
)

// SetText sets element i to a decimal number: an integer type needs one that it holds, a
// float type rounds it once.
func (a *Array) SetText(i int, text string) error {
	s, err := a.typ.parse(text)
	if err != nil {
		return fmt.Errorf("%q %w", text, err)
	}
	kinds[a.typ].store(a.own(), i, s)
	return nil
}

func (t Type) parse(text string) (s scalar, err error) {
	bits := 8 * t.Bytes()
	s.class = kinds[t].class
	switch s.class {
	case classFloat:
		s.f, err = strconv.ParseFloat(text, bits)
		if errors.Is(err, strconv.ErrRange) {
			err = nil // beyond the largest number: the infinity that ParseFloat gives
		}
	case classSigned:
		s.i, err = strconv.ParseInt(text, 10, bits)
	default:
		s.u, err = strconv.ParseUint(text, 10, bits)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return s, fmt.Errorf("does not fit into %s", t)
	case err != nil && t.Float():
		return s, errors.New("is no number")
	case err != nil:
		return s, fmt.Errorf("is no integer: %s holds integers alone", t)
	}
	return s, nil
}
