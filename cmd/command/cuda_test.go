// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

const cudaPrograms = "../../frontend/cuda/programs/testdata"

// cudaCache is one cache of headers and runtime library for all tests.
var cudaCache = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "warptape-cuda-test-")
	afterTests = append(afterTests, func() { os.RemoveAll(folder) })
	return folder, err
})

// withCUDA makes a test use the cache of all; it skips where there is no compiler.
func withCUDA(t *testing.T) (cache string) {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	cache, err := cudaCache()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("XDG_CACHE_HOME") != cache {
		t.Setenv("XDG_CACHE_HOME", cache)
	}
	return cache
}

// cudaProgram builds a program of the tests, once with the same options.
func cudaProgram(t *testing.T, source string, options ...string) string {
	t.Helper()
	cache := withCUDA(t)
	program := filepath.Join(cache, strings.Join(append(options, strings.TrimSuffix(source, ".cu")), ""))
	if _, err := os.Stat(program); err == nil {
		return program
	}
	good(t, append(append([]string{"cc"}, options...), filepath.Join(cudaPrograms, source), "-o", program)...)
	return program
}

// runIt runs a program, and gives its exit code, what it said, and its trace.
func runIt(t *testing.T, program string, arguments ...string) (code int, stdout, stderr, output string) {
	t.Helper()
	output = filepath.Join(t.TempDir(), "run.wtape")
	var out, errors bytes.Buffer
	code = run(context.Background(), append([]string{"warptape", "run", "-o", output, "--", program}, arguments...), &out, &errors)
	return code, out.String(), errors.String(), output
}

// Programs that use what the headers and the runtime library offer check their own
// results, without optimisation and with it; each is recorded in the same bytes again.
// One is drawn, as compilers take their time.
func TestCUDAProgramsRunAsTheyAre(t *testing.T) {
	tracetest.Nightly(t)
	type build struct{ source, level string }
	var builds []build
	for _, source := range []string{"memory.cu", "streams.cu", "textures.cu", "small_floats.cu", "managed.cu", "overloads.cu", "aliases.cu"} {
		builds = append(builds, build{source, "-O0"}, build{source, "-O3"})
	}
	for _, b := range tracetest.Draw(t, builds, 1) {
		t.Run(b.source+b.level, func(t *testing.T) {
			program := cudaProgram(t, b.source, b.level, "-lineinfo")
			code, stdout, stderr, first := runIt(t, program)
			if code != 0 || !strings.HasSuffix(stdout, "ok\n") {
				t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
			good(t, "trace", "verify", first)
			_, _, _, second := runIt(t, program)
			a, b := contents(t, first), contents(t, second)
			if !bytes.Equal(a, b) {
				t.Errorf("two runs were recorded in different bytes (%d and %d):\n%s", len(a), len(b), warptape(t, "trace", "diff", first, second).stdout)
			}
		})
	}
}

// Numbers of half and bfloat16 and pairs of them: instructions of their own by compute capability, and others before, give the same.
func TestPairsOfSmallFloats(t *testing.T) {
	tracetest.Nightly(t)
	builds := [][]string{{"-O3", "-arch=sm_50"}, {"-O0", "-arch=sm_70"}, {"-O3", "-arch=sm_80"}, {"-O3", "-arch=sm_90"}}
	for _, options := range tracetest.Draw(t, builds, 1) {
		code, stdout, stderr, output := runIt(t, cudaProgram(t, "small_pairs.cu", options...))
		if code != 0 || !strings.HasSuffix(stdout, "ok\n") {
			t.Errorf("%v: exit code %d, it says %q and %q", options, code, stdout, stderr)
		}
		good(t, "trace", "verify", output)
	}
}

// Memory comes from pools, which count it. Attributes of streams are taken, and the user learns
// that a window of the cache has no effect.
func TestPoolsAndAttributesOfStreams(t *testing.T) {
	tracetest.Nightly(t)
	code, stdout, stderr, output := runIt(t, cudaProgram(t, "pools.cu", "-O3"))
	if code != 0 || stdout != "ok\n" || !strings.Contains(stderr, "access policy window of a stream") {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
	good(t, "trace", "verify", output)
}

// Threads hand values on through memory that restricted pointers name, with barriers between them. nvcc loads
// them behind each barrier; LLVM by itself keeps in a register what no pointer of the thread's own has changed.
func TestBarriersChangeWhatRestrictedPointersName(t *testing.T) {
	tracetest.Nightly(t)
	for _, level := range []string{"-O0", "-O3"} {
		if code, stdout, stderr, _ := runIt(t, cudaProgram(t, "restricted.cu", level)); code != 0 || stdout != "ok\n" {
			t.Errorf("%s: exit code %d, it says %q and %q", level, code, stdout, stderr)
		}
	}
}

// Bytes at odd addresses are loaded one by one, also where a compiler could make a vector of them.
func TestBytesAtOddAddresses(t *testing.T) {
	tracetest.Nightly(t)
	code, stdout, stderr, _ := runIt(t, cudaProgram(t, "odd_bytes.cu", "-O3"))
	if code != 0 || stdout != "ok\n" {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
}

// A library in the place of one of NVIDIA's is built when a program first links it, and the user learns whose kernels they are.
// Vectors and matrices of all types and arrangements are what loops of the host give. Transforms of all types, of lengths with
// small and large factors, of several dimensions and in layouts of their own are what sums of the host give.
func TestLibrariesInThePlaceOfNVIDIAs(t *testing.T) {
	tracetest.Nightly(t)
	type library struct{ name, source, option string }
	for _, l := range tracetest.Draw(t, []library{{"cuBLAS", "blas.cu", "-lcublas"}, {"cuFFT", "fft.cu", "-lcufft_static"}}, 1) {
		t.Run(l.name, func(t *testing.T) {
			program := filepath.Join(withCUDA(t), l.name)
			var out, said bytes.Buffer
			if code := run(context.Background(), []string{"warptape", "cc", "-O1", "-std=c++17", filepath.Join(cudaPrograms, l.source), l.option, "-o", program}, &out, &said); code != 0 {
				t.Fatalf("exit code %d:\n%s", code, said.String())
			}
			if got := said.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "in the place of "+l.name+", once") {
				t.Errorf("the build says %q", got)
			}
			code, stdout, stderr, output := runIt(t, program)
			if code != 0 || stdout != "ok\n" || strings.Count(stderr, "kernels of "+l.name+" are Warptape's own") != 1 {
				t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
			good(t, "trace", "verify", output)
		})
	}
}

// The driver's interface has what libcu++ of release 3 asks it for. Its errors are not the runtime's.
func TestTheDriversInterfaceOfLibraries(t *testing.T) {
	tracetest.Nightly(t)
	for _, options := range tracetest.Draw(t, [][]string{{"-O0", "-arch=sm_70"}, {"-O3", "-arch=sm_90"}, {"-O3", "-arch=sm_70", "--cuda-release=12.4", "-DRELEASE=12040"}, {"-O1", "-arch=sm_90", "--cuda-release=11.8"}}, 1) {
		code, stdout, stderr, output := runIt(t, cudaProgram(t, "drivers.cu", options...))
		if code != 0 || stdout != "ok\n" || !strings.Contains(stderr, "cuLibraryGetManaged is not supported") {
			t.Errorf("%v: exit code %d, it says %q and %q", options, code, stdout, stderr)
		}
		good(t, "trace", "verify", output)
	}
}

// Numbers of 8 bits are those of their formats: by instructions of their own from sm_89 on, and
// by others before. The program has all 256 of both, and their neighbours' middles.
func TestNumbersOfEightBits(t *testing.T) {
	tracetest.Nightly(t)
	output := filepath.Join(t.TempDir(), "fp8.wtape")
	for _, options := range tracetest.Draw(t, [][]string{{"-O0", "-arch=sm_70"}, {"-O3", "-arch=sm_89"}}, 1) {
		program := cudaProgram(t, "fp8.cu", options...)
		if got := good(t, "run", "-q", "-f", "-o", output, "--capability", "8.9", "--", program); got != "ok\n" {
			t.Errorf("%v: %s", options, got)
		}
	}
}

// Cooperative groups, copies that no thread waits for and cache hints: by instructions of their own from
// sm_80 on where there are any, and by others before.
func TestGroupsAndCacheHints(t *testing.T) {
	tracetest.Nightly(t)
	type build struct{ source, level, arch string }
	builds := []build{{"groups.cu", "-O0", "sm_70"}, {"groups.cu", "-O3", "sm_80"}, {"groups.cu", "-O3", "sm_70"}, {"groups.cu", "-O0", "sm_80"}, {"hints.cu", "-O0", "sm_70"}, {"hints.cu", "-O3", "sm_80"}}
	output := filepath.Join(t.TempDir(), "groups.wtape")
	for _, b := range tracetest.Draw(t, builds, 1) {
		program := cudaProgram(t, b.source, b.level, "-arch="+b.arch)
		if got := good(t, "run", "-q", "-f", "-o", output, "--capability", "8.0", "--", program); got != "ok\n" {
			t.Errorf("%v: %s", b, got)
		}
	}
}

// Tiles of several warps have barriers of their own, which a thread block has 15 of: sixteen tiles
// meet as well.
func TestTilesOfSeveralWarps(t *testing.T) {
	tracetest.Nightly(t)
	for _, options := range tracetest.Draw(t, [][]string{{"-O0", "-arch=sm_80"}, {"-O3", "-arch=sm_70"}}, 1) {
		code, stdout, stderr, output := runIt(t, cudaProgram(t, "wide_groups.cu", options...))
		if code != 0 || stdout != "ok\n" {
			t.Errorf("%v: exit code %d, it says %q and %q", options, code, stdout, stderr)
		}
		good(t, "trace", "verify", output)
	}
}

// Reductions over lanes reduce the value, by the mask: clang 19 has the two the other way round.
func TestReductionsOverLanes(t *testing.T) {
	tracetest.Nightly(t)
	code, stdout, stderr, output := runIt(t, cudaProgram(t, "reductions.cu", "-O3", "-arch=sm_80"))
	if code != 0 || stdout != "ok\n" {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
	good(t, "trace", "verify", output)
}

// Each function with a cache hint has the PTX of its hint, for each of the 30 types that the language has.
func TestCacheHintsAreThoseOfTheirNames(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	output := filepath.Join(t.TempDir(), "hints.ptx")
	good(t, "cc", "-O1", "-ptx", filepath.Join(cudaPrograms, "hints.cu"), "-o", output)
	text := string(contents(t, output))
	for _, hint := range []string{"ld.global.ca.", "ld.global.cg.", "ld.global.cs.", "ld.global.lu.", "ld.global.cv.", "st.global.wb.", "st.global.cg.", "st.global.cs.", "st.global.wt."} {
		if n := strings.Count(text, hint); n < 30 {
			t.Errorf("%s is there %d times", hint, n)
		}
	}
}

// A launch that no device takes is an error for the program, which may not look at it. The
// user reads why, once for each kernel.
func TestLaunchesThatAreTooLargeSayWhy(t *testing.T) {
	tracetest.Nightly(t)
	code, stdout, stderr, _ := runIt(t, cudaProgram(t, "toolarge.cu", "-O3"))
	if code != 0 || stdout != "ok\n" {
		t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
	for _, want := range []string{
		"a thread block of 64 by 32 by 1 threads; a device has 1 to 1024 of them, 64 in z\n",
		"a grid of 1 by 70000 by 1 thread blocks; a device has 1 to 2147483647 by 65535 by 65535\n",
		"a thread block of 256 threads; the kernel's launch bounds allow 128\n",
		"1048576 bytes of shared memory; a thread block has 49152, and after cudaFuncSetAttribute up to 98304\n",
		"the launch goes on, as the vendor's compiler often needs fewer than the PTX has\n",
	} {
		if n := strings.Count(stderr, want); n != 1 {
			t.Errorf("it says %d times %q: %q", n, want, stderr)
		}
	}
}

// A thread block may have all shared memory that a device says it may ask for, and the machine replays it. From
// compute capability 8.0 on that is not all of an SM's.
func TestTheMostSharedMemoryThatAProgramMayAskForReplays(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "reserve.cu", "-O3")
	for _, machine := range tracetest.Draw(t, []string{"v100", "rtx2080ti", "rtx3090", "a100", "h100"}, 1) {
		output := filepath.Join(t.TempDir(), "run.wtape")
		if got := warptape(t, "run", "-q", "-o", output, "--arch", machine, "--", program); got.code != 0 || got.stdout != "ok\n" {
			t.Errorf("%s: exit code %d, it says %q and %q", machine, got.code, got.stdout, got.stderr)
			continue
		}
		good(t, "replay", output, "--arch", machine)
	}
}

// Streams, managed memory and captured graphs in one program: its results hold, and it is
// recorded in the same bytes again, both without optimisation and with it.
func TestStreamsManagedMemoryAndGraphsTogether(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	for _, level := range tracetest.Draw(t, []string{"-O0", "-O3"}, 1) {
		program := cudaProgram(t, "pipeline.cu", level)
		code, stdout, stderr, first := runIt(t, program)
		if code != 0 || stdout != "ok\n" {
			t.Fatalf("%s: exit code %d, it says %q and %q", level, code, stdout, stderr)
		}
		good(t, "trace", "verify", first)
		_, _, _, second := runIt(t, program)
		if !bytes.Equal(contents(t, first), contents(t, second)) {
			t.Errorf("%s: two runs were recorded in different bytes:\n%s", level, warptape(t, "trace", "diff", first, second).stdout)
		}
		r, err := wtape.Open(first)
		if err != nil {
			t.Fatal(err)
		}
		// Seven rounds launch three kernels each, and one more launch is outside of them.
		if n := len(r.Launches()); n != 22 {
			t.Errorf("%s: %d launches, want 22", level, n)
		}
		r.Close()
	}
}

// A program that ends before it uses the device, or cannot be started, gives the exit code
// that a shell gives, says so, and leaves no trace.
func TestRunGivesTheExitCodeOfAShell(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code      int
		want      string
		arguments []string
	}{
		{128 + 11, "was ended by a signal (segmentation fault) before it used the device", []string{"/bin/sh", "-c", "kill -SEGV $$"}},
		{128 + 15, "was ended by a signal (terminated) before it used the device", []string{"/bin/sh", "-c", "kill -TERM $$"}},
		{3, "has used no device", []string{"/bin/sh", "-c", "exit 3"}},
		{1, "has used no device", []string{"/bin/sh", "-c", "exit 0"}},
		{127, "cannot be started", []string{filepath.Join(folder, "nothing")}},
		{127, "cannot be started", []string{"no-program-of-this-name"}},
		{126, "cannot be started", []string{plain}},
		{127, "build it with 'warptape cc saxpy.cu -o program'", []string{"saxpy.cu"}},
		{126, "cannot be started", []string{folder}},
	} {
		code, _, stderr, output := runIt(t, c.arguments[0], c.arguments[1:]...)
		if code != c.code || !strings.Contains(stderr, c.want) || !strings.HasPrefix(stderr, "warptape: ") {
			t.Errorf("%q: exit code %d, it says %q, want %d and %q", c.arguments, code, stderr, c.code, c.want)
		}
		if left, _ := filepath.Glob(filepath.Dir(output) + "/*"); len(left) > 0 {
			t.Errorf("%q leaves %q", c.arguments, left)
		}
	}
}

// The kernels of programs run on a device as they do in the interpreter, also when they end
// by a fault. What kernels print goes to the standard output of this process.
func TestCUDAProgramsRunOnADevice(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	for _, c := range tracetest.Draw(t, [][]string{{"textures.cu"}, {"memory.cu"}, {"streams.cu"}, {"endings.cu", "fault"}}, 1) {
		program := cudaProgram(t, c[0], "-O3", "-lineinfo")
		code, stdout, _, plain := runIt(t, program, c[1:]...)
		output := filepath.Join(t.TempDir(), "device.wtape")
		got := warptape(t, append([]string{"run", "--on", "emulated", "-o", output, "--", program}, c[1:]...)...)
		if got.code != code || !strings.HasSuffix(stdout, got.stdout) || !strings.Contains(got.stderr, "launches of contaminated kernels") {
			t.Errorf("%q: %+v, want exit code %d and %q", c, got, code, stdout)
		}
		if c[0] != "endings.cu" && !bytes.Equal(contents(t, output), contents(t, plain)) {
			t.Errorf("%q: the trace differs from the interpreter's:\n%s", c, warptape(t, "trace", "diff", plain, output).stdout)
		}
	}
}

// Thread blocks that wait for each other need each other; without that the error says how
// they get it.
func TestThreadBlocksRunTogetherOnRequest(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "together.cu", "-O3", "-lineinfo")
	if code, _, stderr, _ := runIt(t, program); code == 0 || !strings.Contains(stderr, "--together 6 does so here") {
		t.Errorf("exit code %d, it says %q", code, stderr)
	}
	var files [2][]byte
	for i := range files {
		output := filepath.Join(t.TempDir(), "together.wtape")
		if got := warptape(t, "run", "--together", "6", "-o", output, "--", program); got.code != 0 || got.stdout != "ok\n" {
			t.Errorf("%+v", got)
		}
		files[i] = contents(t, output)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two runs were recorded in different bytes")
	}
	if got := warptape(t, "run", "--together", "10000", "--", program); got.code != 2 || !strings.Contains(got.stderr, "at most 8192") {
		t.Errorf("%+v", got)
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// However a program ends, its trace has what had finished.
func TestTracesOfCUDAProgramsThatEndBadly(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "endings.cu", "-O3", "-lineinfo")
	for _, c := range []struct {
		how, stdout, stderr, sampling string
		code, launches                int
	}{
		{how: "fault", stdout: "ok\n", stderr: "out-of-bounds store of 4 bytes", sampling: "after 2 of 4 thread blocks", code: 1, launches: 2},
		{how: "assert", stdout: "ok\n", stderr: "blockIdx.x < 2", sampling: "after 2 of 4 thread blocks", code: 1, launches: 2},
		{how: "abort", code: 128 + 6, launches: 1},
		{how: "exit", code: 3, launches: 1},
	} {
		t.Run(c.how, func(t *testing.T) {
			code, stdout, stderr, output := runIt(t, program, c.how)
			if code != c.code || stdout != c.stdout || !strings.Contains(stderr, c.stderr) {
				t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
			r, err := wtape.Open(output)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if n, s := len(r.Launches()), r.Header().Sampling; n != c.launches || !strings.Contains(s, c.sampling) || c.sampling == "" && s != "" {
				t.Errorf("the trace has %d launches, and says %q", n, s)
			}
			if c.sampling == "" {
				good(t, "trace", "verify", output)
			}
		})
	}
}

// Launches that the filters leave out run, and leave no mark.
func TestRunRecordsTheLaunchesThatItIsTold(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "streams.cu", "-O3", "-lineinfo")
	for _, c := range []struct {
		flags    []string
		launches int
	}{
		{[]string{"--kernel", "*warps*"}, 1},
		{[]string{"--launches", "1-2"}, 2},
		{[]string{"--kernel", "*add*", "--launches", "2-20"}, 9},
	} {
		output := filepath.Join(t.TempDir(), "some.wtape")
		var stdout, stderr bytes.Buffer
		args := append(append([]string{"warptape", "run", "-q", "-o", output}, c.flags...), program)
		if code := run(context.Background(), args, &stdout, &stderr); code != 0 {
			t.Fatalf("%v: exit code %d: %s", c.flags, code, stderr.String())
		}
		r, err := wtape.Open(output)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(r.Launches()); n != c.launches {
			t.Errorf("%v: %d launches", c.flags, n)
		}
		r.Close()
	}
}

func TestRunSaysThatAProgramHasUsedNoDevice(t *testing.T) {
	t.Setenv(clang.Variable, filepath.Join(t.TempDir(), "none")) // a compiler would build a library that no program here loads
	output := filepath.Join(t.TempDir(), "true.wtape")
	bad(t, 1, "has used no device", "run", "-o", output, "true")
	bad(t, 139, "ended by a signal (segmentation fault) before it used the device", "run", "-o", output, "sh", "-c", "kill -SEGV $$")
	if _, err := os.Stat(output); err == nil {
		t.Error("a trace was left")
	}
}
