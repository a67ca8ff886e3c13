package memory

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConstantPartsOfTheProgram(t *testing.T) {
	const smaps = `00400000-04bb0000 r-xp 00000000 fe:00 1 /bin/accord
Rss:               49564 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
04bb0000-0a000000 r--p 047b0000 fe:00 1 /bin/accord
Anonymous:             0 kB
0a000000-0a100000 rw-p 09c00000 fe:00 1 /bin/accord
Anonymous:             0 kB
0a100000-0a200000 r--p 09d00000 fe:00 1 /bin/accord
Anonymous:             4 kB
0a200000-0a300000 r--p 00000000 fe:00 2 /lib/other
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0 
Anonymous:          4096 kB
`
	require.Equal(t, []mapping{{0x400000, 0x4bb0000}, {0x4bb0000, 0xa000000}}, constant(smaps, "/bin/accord"))
}

func TestPagesOfTheProgramAreReleased(t *testing.T) {
	resident := func() int {
		status, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		kb, err := strconv.Atoi(regexp.MustCompile(`RssFile:\s+(\d+)`).FindStringSubmatch(string(status))[1])
		require.NoError(t, err)
		return kb
	}
	before := resident()
	releaseProgram()
	require.Less(t, resident(), before)
}
