// SPDX-License-Identifier: MPL-2.0

package throttle

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

	"github.com/gomodule/redigo/redis"
)

// idleConnections is how many connections are kept for the next requests: as many
// as may be under way at once.
const idleConnections = 24

// RedisAddress returns the URL of a budget without its credentials. The error
// repeats nothing of what it could not read.
func RedisAddress(rawURL string) (string, error) {
	server, err := parseRedis(rawURL)
	return server.String(), err
}

var errRedisURL = errors.New("the address does not read redis://user:password@host:port/db, or rediss:// for TLS " +
	"(port and db may be left out, and the user, or user and password); inside a password % / ? # @ are written %25 %2F %3F %23 %40")

// redisServer is what the URL of a budget says.
type redisServer struct {
	scheme, host, node string // node is host and port
	username, password string
	database           int
}

func parseRedis(rawURL string) (redisServer, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return redisServer{}, errRedisURL
	}
	s := redisServer{scheme: u.Scheme, host: u.Hostname(), node: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "6379")), username: u.User.Username()}
	s.password, _ = u.User.Password()
	if s.username != "" && s.password == "" { // it would go unsaid who asks
		return redisServer{}, errRedisURL
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if s.database, err = strconv.Atoi(path); err != nil || s.database < 0 {
			return redisServer{}, errRedisURL
		}
	}
	return s, nil
}

// String is the URL without the credentials.
func (s redisServer) String() string {
	if s.node == "" {
		return ""
	}
	return fmt.Sprintf("%s://%s/%d", s.scheme, s.node, s.database)
}

func (s redisServer) options() []redis.DialOption {
	return []redis.DialOption{
		redis.DialConnectTimeout(noAnswer), redis.DialReadTimeout(noAnswer), redis.DialWriteTimeout(noAnswer), redis.DialTLSHandshakeTimeout(noAnswer),
		redis.DialUsername(s.username), redis.DialPassword(s.password), redis.DialDatabase(s.database),
		redis.DialUseTLS(s.scheme == "rediss"), redis.DialTLSConfig(&tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}),
	}
}

// redisNode is a server and the connections to it.
type redisNode struct {
	address string
	pool    *redis.Pool
}

// connect makes connections to a node as they are needed.
func (r *redisStore) connect(node string) *redisNode {
	options := r.server.options()
	if r.cfg.Dial != nil {
		options = append(options, redis.DialContextFunc(r.cfg.Dial))
	}
	return &redisNode{node, &redis.Pool{MaxIdle: idleConnections, DialContext: func(ctx context.Context) (redis.Conn, error) {
		return redis.DialContext(ctx, "tcp", node, options...)
	}}}
}

func (n *redisNode) run(ctx context.Context, args []any) ([]int64, error) {
	conn, err := n.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	return redis.Int64s(script.DoContext(ctx, conn, args...))
}

// movedTo returns the node that an error names, which says "MOVED", the key's
// slot and that node: without brackets where it is an IPv6 address, without a
// host where that is the asked node's.
func movedTo(err error, asked string) (node string, ok bool) {
	var refused redis.Error
	if !errors.As(err, &refused) {
		return "", false
	}
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
