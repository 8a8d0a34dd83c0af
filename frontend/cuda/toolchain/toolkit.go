// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/frontend/cuda/runtime"
)

// CUDARelease is the release of CUDA that programs and build systems see.
const CUDARelease = "11.8"

// layout names what likeToolkit makes: another text has a folder of its own in the cache.
const layout = "static libraries, libdevice, version.json"

// likeToolkit adds what build systems look for in a folder with CUDA's toolkit. The static
// runtime is a linker's text that names the shared one.
func likeToolkit(folder, library string) error {
	version := fmt.Sprintf("{\"cuda\": {\"name\": \"Warptape in the place of CUDA\", \"version\": \"%s.0\"}}\n", CUDARelease)
	return errors.Join(
		os.Symlink("lib", filepath.Join(folder, "lib64")), os.Symlink(".", filepath.Join(library, "stubs")),
		os.MkdirAll(filepath.Join(folder, "nvvm", "libdevice"), 0o755),
		os.WriteFile(filepath.Join(folder, "version.json"), []byte(version), 0o666),
		os.WriteFile(filepath.Join(library, "libcudart_static.a"), []byte("INPUT("+runtime.Library+")\n"), 0o666),
		os.WriteFile(filepath.Join(library, "libcudadevrt.a"), []byte("!<arch>\n"), 0o666),
	)
}

// Toolkit is the kit's folder with a bin/nvcc that calls the given command: builds that ask
// for the place of CUDA's toolkit find there what they look for. bin/host-link takes a linker's
// options that nvcc does not have.
func (k *Kit) Toolkit(command string) (string, error) {
	bin := filepath.Join(k.Folder, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	return k.Folder, errors.Join(writeScript(bin, "nvcc", command, "cc"), writeScript(bin, hostLink, command, "cc -forward-unknown-to-host-linker"))
}

// hostLink is the script that CMake is told to link programs with.
const hostLink = "host-link"

// writeScript puts a script into its place whole, for builds that run at the same time.
func writeScript(folder, name, command, words string) error {
	file, err := os.CreateTemp(folder, "."+name)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // without effect once it has its name
	_, err = fmt.Fprintf(file, "#!/bin/sh\nexec '%s' %s \"$@\"\n", strings.ReplaceAll(command, "'", `'\''`), words)
	if err := errors.Join(err, file.Chmod(0o755), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(folder, name))
}

// WriteVersion answers --version. CMake looks for nvcc's name, and others for the release.
func WriteVersion(w io.Writer, version string, clang int) error {
	_, err := fmt.Fprintf(w, "warptape cc %s with clang %d, in the place of\nnvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release %[3]s, V%[3]s.0\n", version, clang, CUDARelease)
	return err
}

// libraries are the folders of the runtime library, as nvcc's -v has them.
func (k *Kit) libraries() string {
	folder := filepath.Join(k.Folder, "lib64")
	return fmt.Sprintf("\"-L%s/stubs\" \"-L%s\"", folder, folder)
}

// describe writes what CMake reads from nvcc's -v: the toolkit's place and the default architecture.
func (b *Builder) describe() {
	fmt.Fprintf(b.Stderr, "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s\n#$ PATH=%s\n", b.Kit.Folder, filepath.Join(b.Kit.Folder, "nvvm", "libdevice"), os.Getenv("PATH"))
	fmt.Fprintf(b.Stderr, "#$ INCLUDES=\"-I%s\"\n#$ LIBRARIES=%s\n#$ device code: -arch compute_%d\n", b.Kit.Include, b.Kit.libraries(), b.job.Arch)
}

// describeLink writes a command that links as this build does, from which CMake takes its own.
func (b *Builder) describeLink(output string) {
	fmt.Fprintf(b.Stderr, "#$ %q -o %q %s -lcudadevrt -l%s -lpthread -ldl -lm\n", filepath.Join(b.Kit.Folder, "bin", hostLink), output, b.Kit.libraries(),
		strings.TrimSuffix(strings.TrimPrefix(runtime.Library, "lib"), ".so"))
}
