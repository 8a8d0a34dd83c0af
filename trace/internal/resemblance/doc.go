// SPDX-License-Identifier: Apache-2.0

// Package resemblance measures how much of a payload another payload has already, by the
// short strings that both show.
package resemblance
