package render

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestHostileHundredThousandObjects builds 100,000 ConfigMaps in a process with a memory limit of 1 GiB, as "accord install" sets it.
// The commit is refused with its file, and another Federation is built.
func TestHostileHundredThousandObjects(t *testing.T) {
	if os.Getenv("HUNDRED_THOUSAND") != "" {
		buildHundredThousand()
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestHostileHundredThousandObjects$", "-test.v")
	child.Env = append(os.Environ(), "HUNDRED_THOUSAND=1", "GOMEMLIMIT=1GiB")
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "refused: 04.yaml: the manifests up to this file have more than 20000 objects\n")
	require.Contains(t, string(out), "other: 1 object, <nil>\n")
	peak := regexp.MustCompile(`peak: (\d+) kB`).FindStringSubmatch(string(out))
	require.NotNil(t, peak, string(out))
	kb, err := strconv.Atoi(peak[1])
	require.NoError(t, err)
	require.Less(t, kb, 700<<10, "the most memory in use, in KiB: below 70 % of the limit")
}

func buildHundredThousand() {
	tree := fstest.MapFS{}
	for file := range 20 {
		var text strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: shop\n  name: c%02d-%04d\ndata:\n  key: %s\n", file, i, strings.Repeat("x", 150))
		}
		tree[fmt.Sprintf("%02d.yaml", file)] = &fstest.MapFile{Data: []byte(text.String())}
	}
	limits := v1alpha1.TenantLimits{}.WithDefaults()
	_, err := Build(tree, Options{Budget: NewBudget(int(limits.Objects), limits.MaxBytes())})
	if limit, is := errors.AsType[*LimitError](err); is {
		fmt.Println("refused:", limit)
	}
	objects, err := Build(treeOf(patched), Options{Budget: NewBudget(int(limits.Objects), limits.MaxBytes())})
	fmt.Printf("other: %d object, %v\n", len(objects), err)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("peak:", string(regexp.MustCompile(`VmHWM:\s+(.*)`).FindSubmatch(status)[1]))
}
