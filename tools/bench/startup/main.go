// SPDX-License-Identifier: MPL-2.0

// Command startup measures how long providers take from the start of their process until
// they have sent their schema. They take turns, so that other load on the machine affects
// all of them. It prints a table in Markdown: the medians of wall time and CPU time, and
// their ratios to the last provider.
//
//	startup PROVIDER [PROVIDER ...]
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const rounds = 101

func main() {
	providers := os.Args[1:]
	if len(providers) == 0 {
		log.Fatal("usage: startup PROVIDER [PROVIDER ...]")
	}
	wall, cpu := make([][]time.Duration, len(providers)), make([][]time.Duration, len(providers))
	for range rounds {
		for i, provider := range providers {
			w, c, err := start(context.Background(), provider)
			if err != nil {
				log.Fatalf("%s: %v", provider, err)
			}
			wall[i], cpu[i] = append(wall[i], w), append(cpu[i], c)
		}
	}
	fmt.Print("| from start to schema | wall | CPU | wall, ratio | CPU, ratio |\n|---|---:|---:|---:|---:|\n")
	last := len(providers) - 1
	for i, provider := range providers {
		fmt.Printf("| %s | %v | %v | %.2f | %.2f |\n", filepath.Base(provider),
			median(wall[i]).Round(100*time.Microsecond), median(cpu[i]).Round(100*time.Microsecond),
			ratio(wall[i], wall[last]), ratio(cpu[i], cpu[last]))
	}
}

func median(d []time.Duration) time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

func ratio(a, b []time.Duration) float64 { return float64(median(a)) / float64(median(b)) }

// start runs a provider until it has sent its schema. It returns the wall time, and the CPU
// time of the provider.
func start(ctx context.Context, provider string) (wall, cpu time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel() // kills the provider
	cmd := exec.CommandContext(ctx, provider)
	cmd.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=5,6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		cancel()
		_ = cmd.Wait()
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}()
	line, err := bufio.NewReader(out).ReadString('\n') // 1|6|unix|/path|grpc|
	if err != nil {
		return 0, 0, err
	}
	words := strings.Split(strings.TrimSpace(line), "|")
	if len(words) < 4 {
		return 0, 0, fmt.Errorf("unexpected output %q", line)
	}
	method := map[string]string{"5": "/tfplugin5.Provider/GetSchema", "6": "/tfplugin6.Provider/GetProviderSchema"}[words[1]]
	conn, err := grpc.NewClient("passthrough:///provider",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, words[2], words[3])
		}),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = conn.Close() }()
	var schema []byte
	if err := conn.Invoke(ctx, method, []byte{}, &schema); err != nil {
		return 0, 0, err
	}
	wall = time.Since(begin)
	if len(schema) == 0 {
		return 0, 0, fmt.Errorf("the schema is empty")
	}
	return wall, 0, nil // cpu is known when the process has ended
}

// raw does not decode messages, because the time to decode them is not the provider's.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
