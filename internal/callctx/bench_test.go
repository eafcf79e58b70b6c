// SPDX-License-Identifier: MPL-2.0

package callctx_test

import (
	"context"
	"reflect"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// BenchmarkKept prints how much memory a server keeps for each RPC after it ended. The
// server is below the gRPC server of terraform-plugin-go, as in a real provider. The
// RPC names a resource that does not exist, so that the server has nothing else to
// keep.
func BenchmarkKept(b *testing.B) {
	b.Setenv("TF_LOG_SDK", "OFF")
	for _, kind := range []struct {
		name   string
		server callctx.Server
	}{
		{"framework", newFramework(b)},
		{"wrapped", wrap(newFramework(b))},
	} {
		b.Run(kind.name, func(b *testing.B) {
			server := tf6server.New("registry.terraform.io/example/example", kind.server)
			// The types of the requests are internal to terraform-plugin-go.
			rpc := reflect.ValueOf(server).MethodByName("ReadResource")
			request := reflect.New(rpc.Type().In(1).Elem())
			before := heap()
			for b.Loop() {
				ctx, cancel := context.WithCancel(b.Context())
				rpc.Call([]reflect.Value{reflect.ValueOf(ctx), request})
				cancel() // as gRPC does
			}
			b.ReportMetric(float64(int64(heap())-int64(before))/float64(b.N), "kept-B/op")
			runtime.KeepAlive(server)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // a second one for objects that the first finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
