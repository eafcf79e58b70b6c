// SPDX-License-Identifier: MPL-2.0

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// The provider has two flags. Everything that people do is in the companion.
func TestFlags(t *testing.T) {
	t.Parallel()
	program := clitest.ProviderBinary(t)
	for _, row := range []struct {
		flag   string
		code   int
		prints string
	}{
		{"-version", 0, "terraform-provider-assess " + clitest.Version + "\n"},
		{"-report", 2, "flag provided but not defined: -report"},
		{"report", 2, `"report" is not a flag. The commands for people are in another program, assess` + "\n"},
		{"-h", 0, "Usage of"},
	} {
		run := exec.CommandContext(t.Context(), program, row.flag)
		out, err := run.CombinedOutput()
		if got := run.ProcessState.ExitCode(); got != row.code || !strings.Contains(string(out), row.prints) {
			t.Errorf("%s: %v, exit code %d, want %d; printed\n%s", row.flag, err, got, row.code, out)
		}
		if row.flag == "-h" && strings.Count(string(out), "\n  -") != 2 {
			t.Errorf("there are not two flags:\n%s", out)
		}
	}
}

// Without TF_LOG, the CLI discards the logs of a provider, so the provider logs
// nothing.
func TestLogsOnlyOnRequest(t *testing.T) {
	t.Parallel()
	program := clitest.ProviderBinary(t)
	for variable, logs := range map[string]bool{
		"TF_LOG=":                false,
		"TF_LOG=TRACE":           true,
		"TF_LOG_PROVIDER=INFO":   true,
		"TF_LOG_SDK_PROTO=DEBUG": true,
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			logged := logOfOneCall(t, program, variable)
			if strings.Contains(logged, `"tf_rpc":"GetProviderSchema"`) != logs {
				t.Errorf("the provider logged %.200q", logged)
			}
		})
	}
}

// logOfOneCall starts the provider like a CLI, requests its schema, and returns what
// the provider wrote to its standard error.
func logOfOneCall(t *testing.T, program, variable string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TF_LOG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, variable, "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	var logged bytes.Buffer
	cmd.Stderr = &logged
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hello, err := bufio.NewReader(out).ReadString('\n') // 1|6|unix|/path|grpc|
	words := strings.Split(hello, "|")
	if err != nil || len(words) < 4 {
		t.Fatalf("the provider printed %q, %v", hello, err)
	}
	call(ctx, t, words[2], words[3])
	cancel() // kills the provider
	_ = cmd.Wait()
	return logged.String()
}

// call requests the schema from the provider that listens on an address.
func call(ctx context.Context, t *testing.T, network, address string) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///provider",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}))
	if err != nil {
		t.Fatal(err)
	}
	var schema emptypb.Empty // this message does not know the fields of the schema, and keeps them
	err = errors.Join(conn.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", &emptypb.Empty{}, &schema), conn.Close())
	if size := len(schema.ProtoReflect().GetUnknown()); err != nil || size == 0 {
		t.Fatalf("the schema has %d bytes, %v", size, err)
	}
}
