// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
)

// mostRefused is how many names of refused kernels a session keeps, and longestName how many
// bytes of each.
const (
	mostRefused = 64
	longestName = 1024
)

// refusedNote is the header's argument that names them.
const refusedNote = "refused kernels"

// refused notes a kernel that the device refuses, or its whole module. The
// program learns of it as an error that it may not look at, and its launches are missing in
// the trace. So the trace's header, the result and the user are told as well.
func (s *session) refused(name string) {
	name = strings.ToValidUTF8(name[:min(len(name), longestName)], "?") // the program sends any bytes
	if len(s.result.Refused) == mostRefused || slices.Contains(s.result.Refused, name) {
		return
	}
	s.result.Refused = append(s.result.Refused, name)
	s.sink.UpdateHeader(func(h *trace.Header) {
		if h.Arguments == nil {
			h.Arguments = map[string]string{}
		}
		h.Arguments[refusedNote] = strings.Join(s.result.Refused, " ")
	})
}
