// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Error is a failure of a host program with its place. Err is the cause: a
// *CheckError, an *emulator.Fault, a ptx.ErrorList, a context's error.
type Error struct {
	// File, Line and Column are the statement of the host program that failed;
	// Line is zero when the program as a whole is at fault.
	File         string
	Line, Column int
	// Function is the Starlark function of that statement.
	Function string
	// Backtrace has the calls that led there, outermost first, one a line.
	Backtrace string
	Err       error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: in %s: %v", e.File, e.Line, e.Column, e.Function, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// locate turns an error of the Starlark machinery into an *Error.
func locate(file string, err error) error {
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		return locateEval(file, eval)
	}
	if at, message, ok := syntaxError(err); ok {
		return &Error{File: file, Line: int(at.Line), Column: int(at.Col), Function: "<toplevel>", Err: errors.New(message)}
	}
	return &Error{File: file, Err: err}
}

// locateEval takes the place from the innermost call of a Starlark function:
// below it there are only built-in functions, which have none.
func locateEval(file string, eval *starlark.EvalError) error {
	e := &Error{File: file, Backtrace: eval.CallStack.String(), Err: errors.New(eval.Msg)}
	if cause := eval.Unwrap(); cause != nil {
		e.Err = cause
	}
	for i := len(eval.CallStack) - 1; i >= 0; i-- {
		frame := eval.CallStack[i]
		if frame.Pos.Line > 0 {
			e.Line, e.Column, e.Function = int(frame.Pos.Line), int(frame.Pos.Col), frame.Name
			break
		}
	}
	return e
}

// syntaxError finds the first position in an error of the scanner, the parser
// or the resolver.
func syntaxError(err error) (syntax.Position, string, bool) {
	var parse syntax.Error
	if errors.As(err, &parse) {
		return parse.Pos, parse.Msg, true
	}
	var names resolve.ErrorList
	if errors.As(err, &names) && len(names) > 0 {
		return names[0].Pos, names[0].Msg, true
	}
	return syntax.Position{}, "", false
}
