// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	redigo "github.com/gomodule/redigo/redis"
)

// BudgetError is an error of a budget in Redis. It contains no credentials.
type BudgetError struct {
	// Address is the URL of the budget without the credentials.
	Address string
	// Err is the cause.
	Err error
}

func (e *BudgetError) Error() string {
	if errors.Is(e.Err, errCountsLost) {
		return fmt.Sprintf("the Redis or Valkey server at %s counts the requests of the API key, and has lost its counts or "+
			"has restarted", e.Address)
	}
	return fmt.Sprintf("could not use the Redis or Valkey server at %s: %v", e.Address, e.Err)
}

// errCountsLost is the cause of the notice of a rebuilt ledger.
var errCountsLost = errors.New("the counts were lost, or may have been lost")

// errOtherHost is the cause if the key is on a node to which the credentials are not sent.
var errOtherHost = errors.New(
	"the password is not sent to another host without TLS: use rediss://, or the address of " +
		"that node",
)

func (e *BudgetError) Unwrap() error { return e.Err }

// OutageError means that the server gave no usable answer for some time.
type OutageError struct {
	Lasted   time.Duration // since the first of the questions was sent
	Attempts int           // number of questions
	Err      error         // of the last one
}

func (e *OutageError) Error() string {
	return fmt.Sprintf("no usable answer for %s, in %d attempts: %v", e.Lasted.Round(time.Millisecond), e.Attempts, e.Err)
}

// Unwrap returns the error of the last question.
func (e *OutageError) Unwrap() error { return e.Err }

// errOldVersion means that the server is too old.
var errOldVersion = fmt.Errorf("%d.0 is the oldest supported one", oldestVersion)

// finalAnswers are the beginnings of the answers after which a question is not repeated,
// because the configuration must change. Every other error is repeated: the server is
// loading its data, has become a replica, is out of memory or connections, or cannot be
// reached. The guide "Rate limits" contains the same table.
var finalAnswers = []string{
	"WRONGPASS", "NOAUTH", "NOPERM", "DENIED",
	"ERR ACL failure in script", "ERR The user executing the script", // a right of the script
	"ERR AUTH ", "ERR Client sent AUTH", "ERR invalid password",
	"ERR unknown command", "ERR DB index is out of range", "ERR invalid DB index", "ERR SELECT is not allowed",
}

// isPermanent reports whether it is no use to repeat a question.
func isPermanent(err error) bool {
	answered, _ := errors.AsType[redigo.Error](err)
	return errors.Is(err, errOtherHost) || errors.Is(err, errOldVersion) ||
		errors.As(err, new(*tls.CertificateVerificationError)) ||
		slices.ContainsFunc(finalAnswers, func(text string) bool { return strings.HasPrefix(string(answered), text) })
}

// wrap adds the address to an error, and hides the password: some servers repeat the
// beginning of what they were sent, or all of it.
func (s *logStore) wrap(err error) error {
	const telling = 16 // bytes
	password := s.server.password
	switch text := err.Error(); {
	case password == "":
	case strings.Contains(text, password):
		err = errors.New(strings.ReplaceAll(text, password, "(secret)"))
	case len(password) > telling && strings.Contains(text, password[:telling]):
		err = errors.New("the server refused the request, with a message that contains a part of the password")
	}
	return &BudgetError{Address: s.server.String(), Err: err}
}
