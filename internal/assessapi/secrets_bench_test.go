// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkMask masks a response of 5 MB, with ten headers whose values have several parts. The
// response contains none of them, as usual. Half of its strings contain characters with which an
// escaped secret could begin.
func BenchmarkMask(b *testing.B) {
	headers := map[string]string{}
	for i := range 10 {
		headers[fmt.Sprintf("X-Header-%d", i)] = fmt.Sprintf("Bearer token-%d-0123456789abcdef; tenant=organization-%d", i, i)
	}
	m := newMask(Config{ClientID: "client", APIKey: "0123456789-the-api-key", Headers: headers})
	var text strings.Builder
	text.WriteString("[")
	for i := 0; text.Len() < 5<<20; i++ {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(
			&text,
			`{"id":"cand-%06d","name":"Liam Walker","reportUrl":"https://assess.example.com/r/%d?a=%%20b&c=d+e",`+
				`"scores":[{"scale":"Numerical reasoning","percentile":%d.5,"note":"above average & steady"}]}`,
			i,
			i,
			i%100,
		)
	}
	text.WriteString("]")
	for _, part := range []struct {
		name string
		do   func()
	}{
		{"data", func() { m.JSON(text.String()) }},
		{"message", func() { excerpt(text.String(), m, 300) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				part.do()
			}
		})
	}
}
