// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
)

// fenced are the blocks of docs/executors.md in a language.
func fenced(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/executors.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestTheFilesForSchedulersWork: the command of each, with its scheduler's variable set,
// makes its shard of a prepared sweep. The shell's file runs as it stands.
func TestTheFilesForSchedulersWork(t *testing.T) {
	tracetest.Nightly(t)
	shells := fenced(t, "sh")
	if len(shells) != 2 {
		t.Fatalf("%d files of shell", len(shells))
	}
	folder := t.TempDir()
	write(t, filepath.Join(folder, "plan.yaml"), strings.ReplaceAll(smallPlan, "TRACE", recordedTrace(t)))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "warptape"), []byte("#!/bin/sh\nexec "+self+" \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	run := func(script string, environment ...string) string {
		t.Helper()
		c := exec.Command("sh", "-c", script)
		c.Dir = folder
		c.Env = append(append(os.Environ(), childVariable+"=1", "PATH="+folder+":"+os.Getenv("PATH")), environment...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, out, script)
		}
		return string(out)
	}
	if said := run(shells[0]); !strings.Contains(said, "3 of 6 points") || !strings.Contains(said, "nothing is missing") {
		t.Error(said)
	}

	var job struct {
		Spec struct {
			Completions int `yaml:"completions"`
			Template    struct {
				Spec struct {
					Containers []struct {
						Command []string `yaml:"command"`
						Args    []string `yaml:"args"`
					} `yaml:"containers"`
				} `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(fenced(t, "yaml")[0]), &job); err != nil || job.Spec.Completions != 16 {
		t.Fatal(err, job)
	}
	var definition struct {
		ContainerProperties struct {
			Command []string `json:"command"`
		} `json:"containerProperties"`
	}
	if err := json.Unmarshal([]byte(fenced(t, "json")[0]), &definition); err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{
		"SLURM_ARRAY_TASK_ID":       shells[1],
		"JOB_COMPLETION_INDEX":      job.Spec.Template.Spec.Containers[0].Args[0],
		"AWS_BATCH_JOB_ARRAY_INDEX": definition.ContainerProperties.Command[2],
	}
	for _, variable := range tracetest.Draw(t, slices.Sorted(maps.Keys(scripts)), 1) {
		script := scripts[variable]
		root := filepath.Join(folder, variable)
		good(t, "sweep", filepath.Join(folder, "plan.yaml"), "--results", root, "--prepare", "--quiet")
		for _, shared := range []string{"/shared/study", "/results/study"} {
			script = strings.ReplaceAll(script, shared, root)
		}
		// Of sixteen shards the sixth has the last point and the seventh none.
		for shard, want := range map[string]string{"5": "1 made", "6": "0 made"} {
			if said := run(script, variable+"="+shard, "SLURM_CPUS_PER_TASK=1"); !strings.Contains(said, want) {
				t.Errorf("%s=%s: %s", variable, shard, said)
			}
		}
		bad(t, commandline.ExitUsage, "--shard", "sweep", "work", root, "plan", "--shard", "16/16")
	}
}
