// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestObjectKeepsOrderAndSpelling(t *testing.T) {
	t.Parallel()
	const text = `{"z":30.0,"a":12345678901234567890,"<é>":"\u00e9 <b>","n":null,"o":{"y":1e2,"x":[]}}`
	object, err := sandbox.ParseObject([]byte(" " + text + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := jsonText(t, object); got != text {
		t.Errorf("got %s", got)
	}
	object.Set("a", true)
	object.Set("new", "<&>")
	object.Delete("z")
	object.Delete("nothing")
	const want = `{"a":true,"<é>":"\u00e9 <b>","n":null,"o":{"y":1e2,"x":[]},"new":"<&>"}`
	if got := jsonText(t, object); got != want {
		t.Errorf("got %s", got)
	}
	if object.Text("<é>") != "é <b>" || object.Text("a") != "" || object.Text("none") != "" {
		t.Errorf("texts %q, %q", object.Text("<é>"), object.Text("a"))
	}
	if got := jsonText(t, sandbox.Object(nil)); got != "null" {
		t.Errorf("nil is %s", got)
	}
}
