package helper

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

func Virtual(t *testing.T, test func(*testing.T)) {
	t.Run("", func(t *testing.T) { synctest.Test(t, test) })
}

func Connection() net.Conn { return nil }

func Wait() { time.Sleep(time.Second) } // want time.Sleep in Wait
