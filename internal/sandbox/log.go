// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// requestLog writes one line for each request.
type requestLog struct {
	mu  sync.Mutex
	out io.Writer // nil disables the log
}

// maxLogged limits how much of a method and of an address is logged, in bytes.
const maxLogged = 200

// print writes a line. Text from a client is written in printable ASCII, because the log is read
// in a terminal.
func (l *requestLog) print(method, address string, status int) {
	if l.out == nil {
		return
	}
	request := method + " " + address
	if len(request) > maxLogged {
		request = request[:maxLogged] + "..."
	}
	request = strconv.QuoteToASCII(request)
	l.mu.Lock()
	defer l.mu.Unlock()
	// A log that cannot be written must not fail the request.
	_, _ = fmt.Fprintf(l.out, "%s %d %s\n", time.Now().Format(time.TimeOnly), status, request[1:len(request)-1])
}
