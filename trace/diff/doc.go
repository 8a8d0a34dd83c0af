// SPDX-License-Identifier: Apache-2.0

// Package diff describes the first difference of two traces.
package diff
