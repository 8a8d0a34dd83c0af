// SPDX-License-Identifier: Apache-2.0

package machine

import "github.com/warptape/warptape/frontend/tesla/language"

// Leaders marks the instructions at which basic blocks begin: the first, those to which
// branches lead, those at which lanes meet, and those behind branches, barriers and
// ends. Labels have to lie in the program.
func Leaders(k *language.Kernel) []bool {
	leader := make([]bool, len(k.Instructions)+1)
	leader[0] = true
	for i, in := range k.Instructions {
		switch {
		case in.Branches():
			leader[in.Immediate], leader[i+1] = true, true
		case in.Opcode == language.SSY:
			leader[in.Immediate] = true
		case in.Opcode == language.BAR || in.Opcode == language.EXIT:
			leader[i+1] = true
		}
	}
	return leader[:len(k.Instructions)]
}
