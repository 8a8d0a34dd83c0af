// SPDX-License-Identifier: Apache-2.0

// Command contraction fails when the compiler fuses a product and a sum that the source
// does not fuse: the results would depend on the processor (Go specification,
// "Floating-point operators"). It compiles for a processor that has the instructions,
// reads the assembly, and allows those of lines that call math.FMA.
//
//	go run ./.ci/contraction [-arch arm64] [PACKAGES]
//
// A remedy is a conversion around the product: float64(x*y) + z.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fused matches a fused multiply-add in the assembly, with its place: of arm64, riscv64,
// ppc64, s390x and amd64.
var fused = regexp.MustCompile(`\((/[^()]*\.go):(\d+)\)\t([VW]?FN?M(?:ADD|SUB)\w*|WFM[AS]DB)\t`)

func main() {
	arch := flag.String("arch", "arm64", "the processor, as GOARCH names it")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	places, err := contracted(*arch, packages)
	if err == nil && len(places) > 0 {
		err = fmt.Errorf("%d products are fused with a sum on %s: round them, float64(x*y) + z", len(places), *arch)
	}
	for _, p := range places {
		fmt.Println(p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "contraction:", err)
		os.Exit(1)
	}
}

// contracted compiles packages and lists the places of fused instructions.
func contracted(arch string, packages []string) ([]string, error) {
	c := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
	c.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	places, instructions, tail, err := scan(out)
	if waited := c.Wait(); waited != nil {
		return nil, fmt.Errorf("go build: %w\n%s", waited, strings.Join(tail, "\n"))
	}
	if err == nil && instructions == 0 {
		err = fmt.Errorf("the compiler printed no assembly: name packages of this module")
	}
	return places, err
}

// scan reads assembly. It returns the places, how many instructions there were, and the
// last lines, which are what a failed build says.
func scan(in io.Reader) (places []string, instructions int, tail []string, err error) {
	seen := map[string]bool{}
	source := map[string][]string{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		text := lines.Text()
		if tail = append(tail, text); len(tail) > 20 {
			tail = tail[1:]
		}
		if strings.Contains(text, ".go:") {
			instructions++
		}
		m := fused.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		place := m[1] + ":" + m[2] + ": " + m[3]
		if seen[place] {
			continue
		}
		seen[place] = true
		n, _ := strconv.Atoi(m[2])
		if source[m[1]] == nil {
			b, err := os.ReadFile(m[1])
			if err != nil {
				return nil, 0, nil, err
			}
			source[m[1]] = strings.Split(string(b), "\n")
		}
		if l := source[m[1]]; n > len(l) || !strings.Contains(l[n-1], "math.FMA(") {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places, instructions, tail, lines.Err()
}
