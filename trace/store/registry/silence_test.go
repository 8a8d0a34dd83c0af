// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/trace/store/registry"
)

// mute accepts connections, says so much, and then nothing for ever.
func mute(t *testing.T, word string) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				// All of the request, so that nothing is reset.
				for b := make([]byte, 4096); !bytes.Contains(b, []byte("\r\n\r\n")); {
					if _, err := conn.Read(b); err != nil {
						return
					}
				}
				io.WriteString(conn, word)
			}()
		}
	}()
	return l.Addr().String()
}

func TestRegistryThatNeverAnswersIsGivenUp(t *testing.T) {
	isolate(t)
	for name, word := range map[string]string{
		"silent":         "",
		"half a header":  "HTTP/1.1 200 OK\r\nContent-Ty",
		"half an answer": "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.oci.image.manifest.v1+json\r\nContent-Length: 500\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			host := mute(t, word)
			o := quick()
			o.FirstPatience, o.Patience = 100*time.Millisecond, 200*time.Millisecond
			for what, use := range map[string]func(ctx context.Context) error{
				"pull": func(ctx context.Context) error {
					_, err := registry.Pull(ctx, newStore(t), reference(t, host+"/trace:v1"), o)
					return err
				},
				"push": func(ctx context.Context) error {
					_, err := registry.Push(ctx, small, reference(t, host+"/trace:v1"), o)
					return err
				},
			} {
				if name == "half an answer" && what == "push" {
					continue // it asks for headers alone, and has them
				}
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
				err := use(ctx)
				if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), "registry "+host+" does not answer") {
					t.Errorf("%s: %v, %v", what, err, ctx.Err())
				}
				cancel()
			}
		})
	}
}
