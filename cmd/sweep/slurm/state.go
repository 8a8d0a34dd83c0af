// SPDX-License-Identifier: Apache-2.0

package slurm

import "strings"

// State is that of a job in Slurm's words (squeue(1), "JOB STATE CODES"); "" is not
// known to Slurm any more.
type State string

const (
	completedState State = "COMPLETED"
	failedState    State = "FAILED"
)

// active states are those of tasks that run or will.
var active = map[State]bool{
	"PENDING": true, "RUNNING": true, "CONFIGURING": true, "COMPLETING": true, "SUSPENDED": true, "REQUEUED": true, "REQUEUE_HOLD": true,
	"REQUEUE_FED": true, "RESIZING": true, "SIGNALING": true, "SPECIAL_EXIT": true, "STAGE_OUT": true, "STOPPED": true, "RESV_DEL_HOLD": true,
}

func (s State) active() bool { return active[s] }

// lostStates are those of tasks that ended for a reason of the cluster's.
var lostStates = map[State]bool{"": true, "NODE_FAIL": true, "PREEMPTED": true, "TIMEOUT": true, "BOOT_FAIL": true, "DEADLINE": true, "REVOKED": true}

// lost reports whether the task did not end for a reason of its own. A task that a signal
// has killed (exit CODE:SIGNAL) was lost, too: an operator or a node that goes down
// kills so.
func (s State) lost(exit string) bool {
	_, signal, _ := strings.Cut(exit, ":")
	return lostStates[s] || s == failedState && signal != "" && signal != "0"
}

// word is the state for people.
func (s State) word() string {
	if s == "" {
		return "Slurm does not know it any more"
	}
	return string(s)
}

// remedy of a state that is no reason to go again.
func (s State) remedy() string {
	switch s {
	case "OUT_OF_MEMORY":
		return ", because its memory did not suffice: ask for more with --slurm-option=--mem=SIZE, or for fewer workers"
	case "CANCELLED":
		return ", because a user or an administrator cancelled it: repeat the command to submit it again"
	}
	return ""
}
