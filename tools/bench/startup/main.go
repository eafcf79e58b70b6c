// SPDX-License-Identifier: MPL-2.0

// Command startup measures how long providers take from the start of their
// process to the answer with their schema, as a CLI asks for it. They take
// turns, so that what else the machine does meets them alike. It prints the
// median of each, and its part of the last one's.
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
	took := make([][]time.Duration, len(providers))
	for range rounds {
		for i, provider := range providers {
			d, err := start(context.Background(), provider)
			if err != nil {
				log.Fatalf("%s: %v", provider, err)
			}
			took[i] = append(took[i], d)
		}
	}
	median := func(i int) time.Duration {
		slices.Sort(took[i])
		return took[i][rounds/2]
	}
	last := median(len(providers) - 1)
	for i, provider := range providers {
		fmt.Printf("%s: %v, %.2f\n", provider, median(i).Round(100*time.Microsecond), float64(median(i))/float64(last))
	}
}

// start runs a provider until it has sent its schema.
func start(ctx context.Context, provider string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel() // kills it
	cmd := exec.CommandContext(ctx, provider)
	cmd.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=5,6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		cancel()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n') // 1|6|unix|/path|grpc|
	if err != nil {
		return 0, err
	}
	words := strings.Split(strings.TrimSpace(line), "|")
	if len(words) < 4 {
		return 0, fmt.Errorf("it said %q", line)
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
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	var schema []byte
	if err := conn.Invoke(ctx, method, []byte{}, &schema); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	if len(schema) == 0 {
		return 0, fmt.Errorf("the schema is empty")
	}
	return took, nil
}

// raw leaves messages as they are: how long it takes to read them is the CLI's.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
