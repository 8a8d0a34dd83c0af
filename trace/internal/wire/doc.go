// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes protobuf messages field by field, without a slice for
// each column.
package wire
