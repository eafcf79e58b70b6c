package module

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/helper"
)

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now() // virtual
		inBubbles()
		time.Sleep(time.Since(start))
	})
	helper.Virtual(t, func(t *testing.T) { time.Sleep(time.Second) })
	nested(t, func() { (&clock{}).now() })
}

func nested(t *testing.T, f func()) { helper.Virtual(t, func(*testing.T) { f() }) }

func inBubbles() { time.Sleep(time.Second) }

func inBoth() { time.Sleep(time.Second) } // want time.Sleep in inBoth

func TestReal(t *testing.T) {
	start := time.Now() // want time.Now in TestReal
	inBoth()
	synctest.Test(t, func(*testing.T) { inBoth() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // want context.WithTimeout in TestReal
	defer cancel()
	<-ctx.Done()
	// real time: a reason
	_ = time.Since(start)
	// real time: no reason // want this reason is not required

	helper.Connection().SetDeadline(start) // want SetDeadline in TestReal
	helper.Wait()
	<-time.After(time.Second) // real time: a reason
	go time.AfterFunc(0, nil) // want time.AfterFunc in TestReal
}

type clock struct{}

func (*clock) now() time.Time { return time.Now() }

type other struct{}

func (other) Now() time.Time { return time.Now() } // want time.Now in Now

var _ interface{ Now() time.Time } = other{}
