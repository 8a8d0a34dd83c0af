// SPDX-License-Identifier: Apache-2.0

// Command generate compiles wtape.proto and writes the Go code for it with the
// pinned protoc-gen-go ("go tool protoc-gen-go"), so that no protoc needs to be
// installed. Run it in the folder of the schema through "go generate ./proto".
//
// With -check it writes nothing and fails when the committed code is stale.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const schema = "wtape.proto"

func main() {
	out := flag.String("out", "wtapepb", "folder of the generated code")
	check := flag.Bool("check", false, "compare with the committed code instead of writing it")
	flag.Parse()
	if err := run(*out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out string, check bool) error {
	request, err := compile()
	if err != nil {
		return err
	}
	response, err := generate(request)
	if err != nil {
		return err
	}
	for _, file := range response.File {
		path := filepath.Join(out, file.GetName())
		content := []byte(file.GetContent())
		if !check {
			if err := os.WriteFile(path, content, 0o644); err != nil {
				return err
			}
			continue
		}
		if have, err := os.ReadFile(path); err != nil {
			return err
		} else if !bytes.Equal(have, content) {
			return fmt.Errorf("%s is stale: run go generate ./proto", path)
		}
	}
	return nil
}

// compile parses and links the schema and wraps it as protoc would.
func compile() (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments become doc comments
	}
	files, err := compiler.Compile(context.Background(), schema)
	if err != nil {
		return nil, err
	}
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{schema},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protoutil.ProtoFromFileDescriptor(files[0])},
	}, nil
}

// generate runs the plugin: a request on its standard input, a response on its output.
func generate(request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	plugin := exec.Command("go", "tool", "protoc-gen-go")
	plugin.Stdin = bytes.NewReader(input)
	plugin.Stderr = os.Stderr
	output, err := plugin.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool protoc-gen-go: %w", err)
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(output, response); err != nil {
		return nil, fmt.Errorf("protoc-gen-go answered with a bad message: %w", err)
	}
	if response.Error != nil {
		return nil, fmt.Errorf("protoc-gen-go: %s", *response.Error)
	}
	return response, nil
}
