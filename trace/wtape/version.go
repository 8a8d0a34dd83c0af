// SPDX-License-Identifier: Apache-2.0

package wtape

import "github.com/warptape/warptape/trace/internal/frames"

// FormatVersion is the major version of the files that are written. Files of all earlier
// ones are read.
const FormatVersion = frames.MajorVersion
