// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"errors"
	"fmt"
	"strings"
)

// Error is an error of a budget in Redis. It contains no credentials.
type Error struct {
	// Address is the URL of the budget without the credentials.
	Address string
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if errors.Is(e.Err, errCountsLost) {
		return fmt.Sprintf("the counts of the shared budget at %s are missing, or the server has restarted and may have "+
			"lost some of them", e.Address)
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap adds the address to an error, and hides the password: some servers repeat the
// beginning of what they were sent, or all of it.
func (s *store) wrap(err error) error {
	const telling = 16 // bytes
	password := s.server.password
	switch text := err.Error(); {
	case password == "":
	case strings.Contains(text, password):
		err = errors.New(strings.ReplaceAll(text, password, "(secret)"))
	case len(password) > telling && strings.Contains(text, password[:telling]):
		err = errors.New("the server refused the request, with a message that contains a part of the password")
	}
	return &Error{Address: s.server.String(), Err: err}
}
