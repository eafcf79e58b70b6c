// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// varnishConfig caches each GET for TTL, also for clients with credentials, whatever they ask for, and gives
// up on an answer after a second.
const varnishConfig = `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "SERVICE_PORT"; .first_byte_timeout = 1s; }
sub vcl_recv {
  set req.http.X-Gateway-Proof = "varnish";
  if (req.method != "GET") { return (pass); }
  return (hash);
}
sub vcl_backend_response {
  set beresp.ttl = TTL;
  if (beresp.status != 200) { set beresp.uncacheable = true; }
}
`

func newVarnish(t *testing.T, ttl string) *gateway {
	t.Helper()
	v := newGateway(t, "varnishd", "default.vcl", varnishConfig,
		"-F", "-j", "none", "-n", "DIR/work", "-a", "127.0.0.1:PORT", "-f", "DIR/default.vcl", "-s", "malloc,16m")
	v.connect("http://127.0.0.1:"+v.port+"/v1", "")
	v.configure("TTL", ttl)
	return v
}

// A gateway that caches nothing changes nothing.
func TestVarnish(t *testing.T) {
	t.Parallel()
	newVarnish(t, "0s").whole()
}

// With a cache in front of the service, a run sees old lists. It may fail, but then it names the cache, and
// nothing is lost or attached twice, also if a response is lost.
func TestVarnishCaches(t *testing.T) {
	t.Parallel()
	v := newVarnish(t, "60s")
	v.plan().OK() // fills the cache with lists in which nothing is attached
	v.slowly(2*time.Second, func() {})
	v.named(v.apply(), nil)
	planned := v.plan()
	v.named(planned, planned.Changes)
	v.named(v.apply(), nil)
	v.configure("TTL", "0s") // a minute later
	v.apply().OK()
	v.applied()
	v.plan().Empty()
	v.service.AssertCount(t, http.MethodPost, sandbox.RoutePositionAssessments, attached)
	v.configure("TTL", "60s")
	v.plan().OK() // fills the cache with lists in which everything is attached
	v.named(v.destroy(), nil)
	v.configure("TTL", "0s")
	v.destroy().OK()
	v.destroyed()
}

// named fails the test if a run failed, or showed changes that do not exist, without naming the cache.
func (g *gateway) named(run *clitest.Run, changes []string) {
	g.T.Helper()
	if (run.Code != 0 || len(changes) > 0) && !strings.Contains(run.Output, "cache") {
		g.T.Errorf("the run does not name the cache:\n%s", run.Text())
	}
}
