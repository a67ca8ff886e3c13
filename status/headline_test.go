package status

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestDefectF26HeadlineIsOneSentence: a table of kubectl has a line for each object, and kubectl does not cut a message.
func TestDefectF26HeadlineIsOneSentence(t *testing.T) {
	for message, want := range map[string]string{
		"3 of 3 clusters healthy. Nothing else.": "3 of 3 clusters healthy",
		"the first line\nthe second line":        "the first line",
		strings.Repeat("x", 250):                 strings.Repeat("x", 77) + "...",
	} {
		require.Equal(t, want, headline([]metav1.Condition{{Type: "Ready", Message: message}}))
	}
	require.Empty(t, headline(nil))

	now := time.Unix(1, 0)
	long := errors.New(strings.Repeat("dial tcp: i/o timeout ", 20))
	c := Cluster(v1alpha1.ClusterStatus{}, 1, Probe{Err: long}, now)
	require.Equal(t, headline(c.Conditions), c.Message)
	require.Len(t, c.Message, 80)
	d := Delivery(v1alpha1.DeliveryStatus{}, 1, "main@sha1:4f2c9e1a0b3c", Run{Started: true, Finished: true}, CountCells(nil), now)
	require.Equal(t, headline(d.Conditions), d.Message)
	require.Equal(t, "4f2c9e1", d.ShortRevision)
	u := UnobservedDelivery(d, 1, "accord was restarted", now)
	require.Equal(t, "accord was restarted", u.Message)
	f := Federation(v1alpha1.FederationStatus{}, 1, FederationInput{Revision: "main@sha1:4f2c9e1a0b3c", FetchError: long}, now)
	require.Equal(t, headline(f.Conditions), f.Message)
	require.Equal(t, "4f2c9e1", f.ShortRevision)
	r := Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{SupersededBy: "prod-91045c1c2963"}, now)
	require.Equal(t, headline(r.Conditions), r.Message)
	require.NotEmpty(t, r.Message)
}
