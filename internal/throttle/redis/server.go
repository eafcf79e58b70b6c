// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	redigo "github.com/gomodule/redigo/redis"
)

const (
	// idleConnections is how many idle connections are kept: as many as may be in use at
	// once.
	idleConnections = 24
	// idleFor is how long an idle connection is kept. Firewalls drop connections that are
	// idle for longer without telling anyone, and a question would wait for noAnswer.
	idleFor = 30 * time.Second
)

// Address returns the URL of a budget without its credentials. The error contains
// nothing of a URL that could not be read.
func Address(rawURL string) (string, error) {
	server, err := parseURL(rawURL)
	return server.String(), err
}

var errURL = errors.New("the address must have the form redis://user:password@host:port/db, or rediss:// for TLS. " +
	"You can omit the credentials, the port and db. For a password without a user, write :password@. In a password, " +
	"write % / ? # @ : as %25 %2F %3F %23 %40 %3A")

const defaultPort = "6379"

// redisServer is the parsed URL of a budget.
type redisServer struct {
	scheme, host, node string // node is host and port
	username, password string
	database           int
}

func parseURL(rawURL string) (redisServer, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" ||
		u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return redisServer{}, errURL
	}
	s := redisServer{
		scheme: u.Scheme, host: u.Hostname(), username: u.User.Username(),
		node: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), defaultPort)),
	}
	s.password, _ = u.User.Password()
	if s.username != "" && s.password == "" { // without its colon, a password would look like a user
		return redisServer{}, errURL
	}
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), defaultPort), 10, 16); err != nil || port == 0 {
		return redisServer{}, errURL
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if s.database, err = strconv.Atoi(path); err != nil || s.database < 0 {
			return redisServer{}, errURL
		}
	}
	return s, nil
}

// String returns the URL without the credentials.
func (s redisServer) String() string {
	if s.node == "" {
		return ""
	}
	return fmt.Sprintf("%s://%s/%d", s.scheme, s.node, s.database)
}

// options returns how to connect. Each step may take as long as patience.
func (s redisServer) options(patience time.Duration) []redigo.DialOption {
	return []redigo.DialOption{
		redigo.DialConnectTimeout(patience), redigo.DialTLSHandshakeTimeout(patience),
		redigo.DialReadTimeout(patience), redigo.DialWriteTimeout(patience),
		redigo.DialUsername(s.username), redigo.DialPassword(s.password), redigo.DialDatabase(s.database),
		redigo.DialUseTLS(s.scheme == "rediss"),
		redigo.DialTLSConfig(&tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}),
	}
}

// trusts reports whether the credentials may be sent to a node of the cluster. With TLS, the
// node must prove that it belongs to the configured host. Without TLS, nothing would prove
// that, so the credentials do not leave that host.
func (s redisServer) trusts(node string) bool {
	host, _, err := net.SplitHostPort(node)
	return s.password == "" || s.scheme == "rediss" || err == nil && strings.EqualFold(host, s.host)
}

// node is a server and the connections to it.
type node struct {
	address string
	pool    *redigo.Pool
}

// connect returns a node whose connections are made when they are required.
func (s *logStore) connect(address string) *node {
	options := s.server.options(min(noAnswer, cmp.Or(s.cfg.RetryFor, noAnswer)))
	if s.cfg.Dial != nil {
		options = append(options, redigo.DialContextFunc(s.cfg.Dial))
	}
	dial := func(ctx context.Context) (redigo.Conn, error) {
		return redigo.DialContext(ctx, "tcp", address, options...)
	}
	return &node{address, &redigo.Pool{MaxIdle: idleConnections, IdleTimeout: idleFor, DialContext: dial}}
}

func (n *node) run(ctx context.Context, do func(redigo.Conn) (any, error)) (any, error) {
	conn, err := n.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // returns the connection to the pool
	return do(conn)
}

// movedTo returns the node that an error names. The error consists of "MOVED", the
// key's hash slot and the node. An IPv6 address has no brackets. The host is missing if
// it is the host of the asked node.
func movedTo(err error, asked string) (node string, ok bool) {
	refused, _ := errors.AsType[redigo.Error](err)
	words := strings.Fields(string(refused))
	if len(words) != 3 || words[0] != "MOVED" {
		return "", false
	}
	colon := strings.LastIndex(words[2], ":")
	if colon < 0 {
		return "", false
	}
	host, port := strings.Trim(words[2][:colon], "[]"), words[2][colon+1:]
	if host == "" {
		host, _, _ = net.SplitHostPort(asked)
	}
	return net.JoinHostPort(host, port), true
}
