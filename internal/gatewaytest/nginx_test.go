// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"strings"
	"testing"
)

// nginxConfig has TLS, gzip, a prefix, short connections and a rate limit. It does not pass on the host of the client,
// so that the service writes links to its own address.
const nginxConfig = `daemon off;
master_process off;
pid DIR/nginx.pid;
error_log DIR/error.log;
events {}
http {
  access_log off;
  client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
  limit_req_zone $server_name zone=all:1m rate=40r/s;
  limit_req_status STATUS;
  gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 1;
  keepalive_requests 3; keepalive_timeout 1s;
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate DIR/pem; ssl_certificate_key DIR/pem;
    location /teams/7/v1/ {
      limit_req zone=all burst=3 nodelay;
      proxy_read_timeout 1s;
      proxy_set_header X-Gateway-Proof nginx;
      proxy_pass http://SERVICE/v1/;
    }
  }
}
`

// A gateway with TLS, gzip, a prefix, connections for three requests and a rate limit changes
// nothing, although the service writes links to an address that only the gateway reaches.
func TestNginx(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"429", "503"} { // of requests above the rate limit; 503 is the default
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			config := strings.ReplaceAll(nginxConfig, "STATUS", status)
			newGateway(t, "/teams/7/v1", config, "nginx", "-p", "DIR", "-e", "DIR/error.log", "-c", "DIR/config").life()
		})
	}
}
