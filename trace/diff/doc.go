// Package diff describes the first difference of two traces.
package diff
