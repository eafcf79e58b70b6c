// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"reflect"
	"testing"
	"time"
)

func TestACopySharesNothing(t *testing.T) {
	t.Parallel()
	st := Demo()
	st.Windows.Requests = []time.Time{{}}
	before, _ := encodeJSON(st)
	c := st.copied()
	if !reflect.DeepEqual(st, c) {
		t.Errorf("the copy differs:\n%+v\n%+v", st, c)
	}
	c.LastID++
	c.Windows.Requests[0] = time.Now()
	c.Assessment("asm-workbench").SkillsTests[0].Set("id", "")
	*c.Position(DemoResultsPosition).Candidates[0].Results[0].Percentile = -1
	if after, _ := encodeJSON(st); !sameJSON(before, after) {
		t.Errorf("a change of the copy changes the state:\n%s\n%s", before, after)
	}
}
