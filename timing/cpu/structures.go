package cpu

import "github.com/warptape/warptape/timing/arch"

// Structures implements arch.Section.
func (s *Section) Structures(m *arch.Machine) []arch.Structure { return nil }
