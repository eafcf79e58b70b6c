// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	servicecheck "github.com/assessascode/terraform-provider-assess/internal/companion/check"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Behind a proxy on a port, "assess check" works with the sandbox. The proxy compares each exchange with the
// contract. It finds no violation, and "assess check" finds no difference.
func TestCheckBehindAValidatingProxy(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 0 })
	contract := bytes.ReplaceAll(closed(t, read(t)), []byte(sandbox.BaseURL), []byte(service.URL))
	transport := check(t, contract, http.DefaultTransport)
	inner, err := url.Parse(strings.TrimSuffix(service.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(inner)
		r.Out.Host = r.In.Host // the service writes links to this host
	}})
	t.Cleanup(proxy.Close)
	var out strings.Builder
	code, err := servicecheck.Run(t.Context(), servicecheck.Options{
		Options: run.Options{
			Version: "test", CacheDir: t.TempDir(), Getenv: sandboxtest.Getenv(map[string]string{
				"ASSESS_BASE_URL": proxy.URL + "/v1", "ASSESS_UNTHROTTLED": "1",
			}),
		},
		Out: &out,
	})
	if err != nil || code != 0 {
		t.Errorf("assess check ended with %d, %v:\n%s", code, err, out.String())
	}
	transport.report(t)
}
