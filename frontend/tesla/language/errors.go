// SPDX-License-Identifier: Apache-2.0

package language

import (
	"errors"
	"fmt"
)

// Place is a line of a file; line 0 is the whole file.
type Place struct {
	File string
	Line int
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Error is what is wrong at a place.
type Error struct {
	Place
	Message string
}

func (e *Error) Error() string { return e.Place.String() + ": " + e.Message }

// Errorf makes an error at a place.
func Errorf(at Place, format string, arguments ...any) error {
	return &Error{at, fmt.Sprintf(format, arguments...)}
}

// maxErrors is how many errors of a file are told.
const maxErrors = 20

// problems collects the errors of a file.
type problems struct{ list []error }

func (p *problems) add(at Place, format string, arguments ...any) {
	if len(p.list) < maxErrors {
		p.list = append(p.list, Errorf(at, format, arguments...))
	}
}

func (p *problems) err() error { return errors.Join(p.list...) }
