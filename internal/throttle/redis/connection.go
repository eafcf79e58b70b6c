// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	redigo "github.com/gomodule/redigo/redis"
)

const (
	// idleConnections is how many idle connections are kept: as many as may be in use at once.
	idleConnections = 24
	// idleFor is how long an idle connection is kept. Some firewalls silently drop connections that are idle for
	// longer, and a command on such a connection would wait for noAnswer.
	idleFor     = 30 * time.Second
	defaultPort = "6379"
)

// address is the parsed URL of a budget.
type address struct {
	scheme, host, port string
	username, password string
	database           int
	roots              *x509.CertPool // nil means the system's
}

var errURL = errors.New("the address must have the form redis://user:password@host:port/db, or rediss:// for TLS. " +
	"You can omit the credentials, the port and db. For a password without a user, write :password@. In a password, " +
	"write each character except letters and digits as % and its two hexadecimal digits, such as %25 for %")

// Check returns an error if a value is not the URL of a budget. The error contains nothing of the value.
func Check(value string) error {
	_, err := parseURL(value)
	return err
}

// parseURL parses the URL of a budget. Without a port or a database, the address has defaultPort and database 0. Each
// error is errURL, which contains nothing of the URL and says which URLs are accepted.
func parseURL(value string) (address, error) {
	u, err := url.Parse(value)
	if err != nil {
		return address{}, errURL
	}
	isRedis := u.Scheme == "redis" || u.Scheme == "rediss"
	if !isRedis || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return address{}, errURL
	}
	a := address{scheme: u.Scheme, host: u.Hostname(), port: cmp.Or(u.Port(), defaultPort), username: u.User.Username()}
	a.password, _ = u.User.Password()
	if a.username != "" && a.password == "" { // probably a password whose colon is missing
		return address{}, errURL
	}
	if port, err := strconv.ParseUint(a.port, 10, 16); err != nil || port == 0 {
		return address{}, errURL
	}
	if database := strings.Trim(u.Path, "/"); database != "" {
		a.database, err = strconv.Atoi(database)
		if err != nil || a.database < 0 {
			return address{}, errURL
		}
	}
	return a, nil
}

// String returns the URL without the credentials.
func (a address) String() string {
	return fmt.Sprintf("%s://%s/%d", a.scheme, net.JoinHostPort(a.host, a.port), a.database)
}

// hide returns err, unless the text of err contains a part of the password: eight characters in a row, or all of a
// shorter password. Then hide returns an error without the text. Some servers repeat what they were sent.
func (a address) hide(err error) error {
	const telling = 8
	text := err.Error()
	for i := range max(len(a.password)-telling, 0) + 1 {
		part := a.password[i:min(i+telling, len(a.password))]
		if part != "" && strings.Contains(text, part) {
			return errors.New("the error is not shown, because it contains a part of the password")
		}
	}
	return err
}

// dial connects to the server, signs in and selects the database. It fails when ctx ends.
func (a address) dial(ctx context.Context) (redigo.Conn, error) {
	return redigo.DialContext(ctx, "tcp", net.JoinHostPort(a.host, a.port), redigo.DialContextFunc(a.connect),
		redigo.DialUsername(a.username), redigo.DialPassword(a.password), redigo.DialDatabase(a.database))
}

// connect opens a connection, with TLS for the scheme rediss. The connection limits the replies after their decryption.
func (a address) connect(ctx context.Context, network, at string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, at)
	if err != nil {
		return nil, err
	}
	if a.scheme != "rediss" {
		return &bounded{Conn: conn}, nil
	}
	secure := tls.Client(conn, &tls.Config{ServerName: a.host, MinVersion: tls.VersionTLS12, RootCAs: a.roots})
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &bounded{Conn: secure}, nil
}

// mostBytes limits a reply.
const mostBytes = 1 << 20

var errTooLong = errors.New("the reply is too long")

// bounded is a connection that limits the length of replies. It closes and fails for good if a reply is longer than
// mostBytes, or if a reply announces an array or a string with a length of two or more characters, because the client
// would reserve memory for that length at once. The script replies only with a short array of numbers or with one line.
type bounded struct {
	net.Conn

	left int    // bytes of the current reply
	line []byte // the current line
	err  error
}

func (b *bounded) Write(p []byte) (int, error) {
	b.left = mostBytes // a command is sent, so the next reply begins
	return b.Conn.Write(p)
}

// Read reads a part of a reply. If the reply exceeds a limit, Read closes the connection. This call and all later calls
// then return errTooLong.
func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.Conn.Read(p)
	if b.exceedsLimit(p[:n]) {
		b.err = errors.Join(errTooLong, b.Close())
		return 0, b.err
	}
	return n, err
}

// exceedsLimit counts the next part of a reply, and reports whether the reply exceeds a limit. It keeps the current
// line for the part that follows.
func (b *bounded) exceedsLimit(part []byte) bool {
	b.left -= len(part)
	for _, c := range part {
		if c == '\n' {
			b.line = b.line[:0]
			continue
		}
		b.line = append(b.line, c)
		announces := b.line[0] == '*' || b.line[0] == '$' // the length of an array or a string
		if announces && c != '\r' && len(b.line) > len("*9") {
			return true
		}
	}
	return b.left < 0
}

// transient lists the prefixes of server errors after which the script is run again. Every other server error is final.
// It lasts until someone changes the configuration, such as the Redis user or its permissions.
var transient = []string{
	"LOADING", "BUSY", "READONLY", "MASTERDOWN", "OOM", "MISCONF", "NOREPLICAS", "ERR max number of clients",
}

// isFinal reports whether it is useless to run the script again after err.
func isFinal(err error) bool {
	if answered, ok := errors.AsType[redigo.Error](err); ok {
		isTransient := func(text string) bool { return strings.HasPrefix(string(answered), text) }
		return !slices.ContainsFunc(transient, isTransient)
	}
	return errors.Is(err, errTooLong) || errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, new(tls.RecordHeaderError))
}

// lacksRight reports whether err is a server error that means that the user may not run a command or use a key.
func lacksRight(err error) bool {
	answered, _ := errors.AsType[redigo.Error](err)
	texts := []string{"NOPERM", "ERR ACL failure in script", "ERR The user executing the script can't"}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(string(answered), text) })
}
