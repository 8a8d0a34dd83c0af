// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/pending"
)

// PendingFile is the file that is being written.
func (w *Writer) PendingFile() *pending.File { return w.file }

// ThreadBlock is what was recorded of the current thread block.
func (w *Writer) ThreadBlock() *chunks.ThreadBlock { return &w.block }
