// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package slurmtest starts a real Slurm cluster for tests, of Debian's packages
// slurmctld, slurmd, slurm-client and munge. It has two nodes of one processor each, on
// free ports of the loopback interface, with all state in a folder of the test's.
package slurmtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Nodes are the names of the two nodes.
var Nodes = []string{"n1", "n2"}

// Partitions: tasks of High take the processors of tasks of Low away.
const (
	Low  = "low"
	High = "high"
)

// Cluster is a running one. Its configuration is in the environment of the test, so that
// sbatch and the others find it.
type Cluster struct {
	Folder string

	t       *testing.T
	daemons map[string]*exec.Cmd
}

// programs that have to be there.
var programs = []string{"munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"}

// patience of every wait: only a cluster that does not work takes so long.
const patience = 2 * time.Minute

// Start starts a cluster that ends with the test; it skips the test where there is none to
// be had.
func Start(t *testing.T) *Cluster {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed: apt-get install slurmctld slurmd slurm-client munge", p)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("slurmd runs tasks of users, and so must be root")
	}
	folder, err := os.MkdirTemp("", "slurm-")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Folder: folder, t: t, daemons: map[string]*exec.Cmd{}}
	t.Cleanup(c.stop)
	if err := adopt(); err != nil {
		t.Skipf("processes that daemons leave cannot be adopted here, and so not be ended: %v", err)
	}
	// The authentication's daemon is another user and goes through the folder.
	for name, mode := range map[string]os.FileMode{"": 0o711, "state": 0o700, "munge": 0o755, "spool-n1": 0o755, "spool-n2": 0o755} {
		if err := os.MkdirAll(filepath.Join(folder, name), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(folder, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	c.munge()
	c.configure()
	c.daemon("slurmctld", nil, "slurmctld", "-D")
	for _, node := range Nodes {
		c.StartNode(node)
	}
	c.Until("both nodes are idle", func() bool {
		out, err := exec.Command("sinfo", "-h", "-N", "-p", Low, "-o", "%T").Output()
		return err == nil && strings.Count(string(out), "idle\n") == len(Nodes)
	})
	return c
}

// munge starts the authentication.
func (c *Cluster) munge() {
	c.t.Helper()
	owner, err := user.Lookup("munge")
	if err != nil {
		c.t.Skip(err)
	}
	uid, err1 := strconv.Atoi(owner.Uid)
	gid, err2 := strconv.Atoi(owner.Gid)
	if err1 != nil || err2 != nil {
		c.t.Fatal(err1, err2)
	}
	at := func(name string) string { return filepath.Join(c.Folder, "munge", name) }
	if out, err := exec.Command("mungekey", "--create", "--keyfile="+at("key")).CombinedOutput(); err != nil {
		c.t.Fatalf("mungekey: %v: %s", err, out)
	}
	for _, path := range []string{at(""), at("key")} {
		if err := os.Chown(path, uid, gid); err != nil {
			c.t.Fatal(err)
		}
	}
	c.daemon("munged", &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, "munged", "--foreground",
		"--socket="+at("socket"), "--key-file="+at("key"), "--pid-file="+at("pid"), "--log-file="+at("log"), "--seed-file="+at("seed"))
	c.Until("munged listens", func() bool {
		_, err := os.Stat(at("socket"))
		return err == nil
	})
}

// configure writes slurm.conf. A node that does not answer is down after some ten seconds.
func (c *Cluster) configure() {
	c.t.Helper()
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	ports := freePorts(c.t, 1+len(Nodes))
	var b strings.Builder
	fmt.Fprintf(&b, `ClusterName=warptape
SlurmctldHost=%[2]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[1]s/munge/socket
CredType=cred/munge
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool-%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd-%%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
ReturnToService=2
SlurmdTimeout=6
MessageTimeout=3
TCPTimeout=1
KillWait=1
`, c.Folder, host, ports[0])
	for i, node := range Nodes {
		fmt.Fprintf(&b, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 RealMemory=1000\n", node, host, ports[1+i])
	}
	nodes := strings.Join(Nodes, ",")
	fmt.Fprintf(&b, "PartitionName=%s Nodes=%s Default=YES State=UP PriorityTier=1\nPartitionName=%s Nodes=%s State=UP PriorityTier=2\n", Low, nodes, High, nodes)
	path := filepath.Join(c.Folder, "slurm.conf")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.t.Setenv("SLURM_CONF", path)
}

// freePorts of the loopback interface.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// StartNode starts the daemon of a node.
func (c *Cluster) StartNode(node string) {
	c.t.Helper()
	c.daemon(node, nil, "slurmd", "-D", "-N", node)
}

// KillNode lets a node lose its power: its daemon and all that runs on it are gone.
func (c *Cluster) KillNode(node string) {
	c.t.Helper()
	c.end(node)
	// A task is the child of a slurmstepd, which this process has adopted.
	for _, pid := range descendants(os.Getpid()) {
		if environment(pid, "SLURMD_NODENAME") != node {
			continue
		}
		for parent := parentOf(pid); parent != 0 && parent != os.Getpid(); parent = parentOf(pid) {
			pid = parent
		}
		killTree(pid)
	}
}

// daemon starts a program in the foreground; it does not outlive the test's process.
func (c *Cluster) daemon(name string, who *syscall.Credential, program string, args ...string) {
	c.t.Helper()
	log, err := os.OpenFile(filepath.Join(c.Folder, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.daemons[name] = cmd
}

// end kills a daemon.
func (c *Cluster) end(name string) {
	if cmd := c.daemons[name]; cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		delete(c.daemons, name)
	}
}

// stop ends the cluster with all that it has started.
func (c *Cluster) stop() {
	if c.t.Failed() {
		c.tell()
	}
	for name := range c.daemons {
		c.end(name)
	}
	for _, pid := range descendants(os.Getpid()) {
		if strings.HasPrefix(environment(pid, "SLURM_CONF"), c.Folder) || strings.HasPrefix(commandLine(pid), "slurmstepd") {
			killTree(pid)
		}
	}
	reap()
	if err := os.RemoveAll(c.Folder); err != nil {
		c.t.Error(err)
	}
}

// tell prints the ends of the logs of a test that has failed.
func (c *Cluster) tell() {
	logs, _ := filepath.Glob(filepath.Join(c.Folder, "*.log"))
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		c.t.Logf("%s ends:\n%s", filepath.Base(path), bytes.Join(lines[max(0, len(lines)-15):], []byte("\n")))
	}
	out, _ := exec.Command("squeue", "--states=all", "--array").CombinedOutput()
	c.t.Logf("squeue:\n%s", out)
}

// Until waits for something; the test fails when it does not happen.
func (c *Cluster) Until(what string, happened func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !happened(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// Command runs one of Slurm's programs.
func (c *Cluster) Command(program string, args ...string) string {
	c.t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %q: %v: %s", program, args, err, out)
	}
	return strings.TrimSpace(string(out))
}
