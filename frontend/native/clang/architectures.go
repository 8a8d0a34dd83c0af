// SPDX-License-Identifier: Apache-2.0

package clang

import (
	"fmt"
	"os/exec"
	"regexp"
)

// architectureLine is a line of --print-supported-cpus.
var architectureLine = regexp.MustCompile(`(?m)^\s+(sm_\d+[af]?)\s*$`)

// Architectures lists the architectures that the compiler makes device code for, in no
// order that means anything.
func (c *Compiler) Architectures() ([]string, error) {
	out, err := exec.Command(c.Path, "--target=nvptx64-nvidia-cuda", "--print-supported-cpus").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s --print-supported-cpus: %w: %s", c.Path, err, out)
	}
	var names []string
	for _, found := range architectureLine.FindAllSubmatch(out, -1) {
		names = append(names, string(found[1]))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s lists no architecture of NVIDIA: name a clang that has the target nvptx64, in %s", c.Path, Variable)
	}
	return names, nil
}
