package start

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// percent returns GOGC.
func percent() int {
	now := debug.SetGCPercent(byDefault)
	debug.SetGCPercent(now)
	return now
}

func TestTheFirstCollectionRestoresTheDefault(t *testing.T) {
	postpone()
	require.Equal(t, postponed, percent())
	runtime.GC()
	require.Eventually(t, func() bool { return percent() == byDefault }, 10*time.Second, time.Millisecond)
}

// A review sets GOGC for itself.
func TestAnotherValueStays(t *testing.T) {
	defer debug.SetGCPercent(byDefault)
	postpone()
	debug.SetGCPercent(400)
	done := make(chan struct{})
	runtime.AddCleanup(&struct{ *byte }{}, func(int) { close(done) }, 0)
	runtime.GC()
	<-done
	require.Never(t, func() bool { return percent() != 400 }, 50*time.Millisecond, time.Millisecond)
}
