// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

func newAttached() *Attached {
	return &Attached{reads: &Reads{}, writes: map[Key]map[string]Write{}}
}

// A second caller waits for the lock of a key, and ends with its context. Other keys are free.
func TestLockOfKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, key := newAttached(), Key{"pos-1", "asm-1"}
		unlock, err := a.Lock(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		impatient, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stop)
		defer cancel()
		if _, err := a.Lock(impatient, key); !errors.Is(err, stop) {
			t.Errorf("the lock of a held key: %v", err)
		}
		other, err := a.Lock(t.Context(), Key{"pos-1", "asm-2"})
		if err != nil {
			t.Fatal(err)
		}
		other()
		began := time.Now()
		time.AfterFunc(time.Second, unlock)
		again, err := a.Lock(t.Context(), key)
		if waited := time.Since(began); err != nil || waited != time.Second {
			t.Errorf("waited %v, %v, want a second", waited, err)
		}
		again()
	})
}

// The list of a position is kept current by the writes of the run.
func TestListIsKeptCurrent(t *testing.T) {
	t.Parallel()
	type list = assessapi.List[assessapi.PositionAssessment]
	a := newAttached()
	a.lists.client = assessapi.New(assessapi.Config{})
	of := func(id, assessment string) assessapi.PositionAssessment {
		return assessapi.PositionAssessment{ID: id, AssessmentID: assessapi.Set(assessment)}
	}
	kept, err := a.lists.get(t.Context(), "pos-1", func(context.Context) (list, error) {
		return list{Elements: []assessapi.PositionAssessment{of("pas-1", "asm-1"), of("pas-2", "asm-2")}}, nil
	})
	if err != nil || len(kept.Elements) != 2 {
		t.Fatal(kept, err)
	}
	a.Remove("pos-1", "pas-1")
	a.Put("pos-1", of("pas-3", "asm-3"))
	a.Put("pos-1", of("pas-2", "asm-2"))
	now, err := a.List(t.Context(), "pos-1")
	ids := ""
	for _, pa := range now.Elements {
		ids += pa.ID + " "
	}
	if ids != "pas-2 pas-3 " || err != nil {
		t.Errorf("the list has %q, %v", ids, err)
	}
}

// What an apply has attached or adopted stays its own until the next run, whatever it does with another one of the key.
func TestLastWrite(t *testing.T) {
	t.Parallel()
	a, key := newAttached(), Key{"pos-1", "asm-1"}
	a.Record(key, "pas-1", RemovalSent)
	a.Record(key, "pas-2", Taken)
	a.Record(key, "pas-1", RemovalRejected)
	if id, last := a.TakenID(key), a.LastWrite(key, "pas-1"); id != "pas-2" || last != RemovalRejected {
		t.Errorf("got %q, and %v for the other", id, last)
	}
	a.Record(key, "pas-2", RemovalSent)
	if id := a.TakenID(key); id != "" {
		t.Errorf("got %q after its removal", id)
	}
}
