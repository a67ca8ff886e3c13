package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHostileMemory(t *testing.T) {
	used := uint64(0)
	g := &Guard{limit: 1 << 30, used: func() uint64 { return used }}
	now := time.Now()
	used = 700 << 20
	require.Empty(t, g.Full(now))
	used = 800 << 20
	require.Contains(t, g.Full(now), "more than 70 % of the memory limit of 1024 MiB is in use; no new plan starts")
	require.Empty(t, (&Guard{used: func() uint64 { return used }}).Full(now), "without a limit")
	require.Empty(t, (*Guard)(nil).Full(now))
}

// Garbage is no reason to refuse.
func TestGarbageIsCollectedFirst(t *testing.T) {
	garbage := make([]byte, 256<<20)
	runtime.KeepAlive(garbage)
	g := &Guard{limit: inUse(), used: inUse}
	require.Empty(t, g.Full(time.Now()))
	require.Contains(t, (&Guard{limit: inUse() / 2, used: inUse}).Full(time.Now()), "no new plan starts")
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		goLimit    int64
		want       uint64
	}{
		"none":               {want: 0},
		"version 2":          {file: "memory.max", text: "1073741824\n", want: 1 << 30},
		"version 2, none":    {file: "memory.max", text: "max\n"},
		"version 1":          {file: "memory/memory.limit_in_bytes", text: "536870912\n", want: 512 << 20},
		"version 1, none":    {file: "memory/memory.limit_in_bytes", text: "9223372036854771712\n"},
		"GOMEMLIMIT":         {goLimit: 1 << 30, want: 1 << 30},
		"GOMEMLIMIT is less": {file: "memory.max", text: "2147483648", goLimit: 1 << 30, want: 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			if c.goLimit != 0 {
				defer debug.SetMemoryLimit(debug.SetMemoryLimit(c.goLimit))
			}
			dir := t.TempDir()
			if c.file != "" {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(c.file)), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600))
			}
			require.Equal(t, c.want, limitOf(dir))
		})
	}
}
