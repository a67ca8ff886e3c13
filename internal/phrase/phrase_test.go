package phrase

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 errors": Count(0, "error"), "1 policy": Count(1, "policy"), "2 policies": Count(2, "policy"), "3 keys": Count(3, "key"),
		"2 Gateways": Count(2, "Gateway"), "4 Ingresses": Count(4, "Ingress"), "1 Ingress": Count(1, "Ingress"), "-1 objects": Count(-1, "object"),
	} {
		require.Equal(t, want, got)
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		names            []string
		and, list, first string
	}{
		{nil, "", "", ""},
		{[]string{"a"}, "a", "a", "a"},
		{[]string{"a", "b"}, "a and b", "a, b", "a, b"},
		{[]string{"a", "b", "c"}, "a, b and c", "a, b, c", "a, b and 1 more"},
		{[]string{"a", "b", "c", "d"}, "a, b and 2 more", "a, b and 2 more", "a, b and 2 more"},
	} {
		require.Equal(t, []string{c.and, c.list, c.first}, []string{And(c.names, 2), List(c.names, 2), First(c.names, 2)})
	}
}

func TestCut(t *testing.T) {
	for want, got := range map[string]string{
		"Äther": Cut("Äther", 5), "Ä...": Cut("Äther", 4), "...": Cut("Äther", 1), "": Cut("", 0),
	} {
		require.Equal(t, want, got)
	}
}

func TestRevision(t *testing.T) {
	require.Equal(t, "91045c1", Revision("main@sha1:91045c1c2963911b34a3133b286a0e32273aa7ba"))
	require.Equal(t, "aaa", Revision("main@sha1:aaa"))
	require.Empty(t, Revision(""))
}
