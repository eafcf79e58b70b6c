// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"io"
	"log"
	"strconv"
)

// requestLog writes one line for each request.
type requestLog struct{ *log.Logger }

// newRequestLog returns a log whose lines begin with the time, without the date. If out is nil, the log writes nothing.
func newRequestLog(out io.Writer) requestLog {
	return requestLog{log.New(cmp.Or(out, io.Discard), "", log.Ltime)}
}

// maxLogged is the maximum length of a method and an address together in the log, in bytes.
const maxLogged = 200

// print writes a line. Text from a client is written in printable ASCII, because the log is read in a terminal.
func (l requestLog) print(method, address string, status int) {
	request := method + " " + address
	if len(request) > maxLogged {
		request = request[:maxLogged] + "..."
	}
	request = strconv.QuoteToASCII(request)
	l.Printf("%d %s", status, request[1:len(request)-1])
}
