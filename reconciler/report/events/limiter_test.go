package events

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// recording returns a Limiter whose events are recorded and whose clock the test sets.
func recording() (c *Limiter, now *time.Time, said *[]string) {
	now, said = new(time.Time), new([]string)
	*now = noon
	return &Limiter{
		write: func(about client.Object, kind, reason, message string) {
			*said = append(*said, fmt.Sprintf("%s %s %s: %s", about.GetName(), kind, reason, message))
		},
		now: func() time.Time { return *now }, objects: map[objectKey]*history{},
	}, now, said
}

func named(name string) *v1alpha1.Delivery {
	return &v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name}}
}

func TestLimiter(t *testing.T) {
	t.Run("an equal event is not repeated for a while", func(t *testing.T) {
		c, now, said := recording()
		for range 3 {
			c.Event(named("a"), corev1.EventTypeWarning, "Lost", "it is lost")
			c.Event(named("b"), corev1.EventTypeWarning, "Lost", "it is lost")
		}
		require.Equal(t, []string{"a Warning Lost: it is lost", "b Warning Lost: it is lost"}, *said)
		*now = noon.Add(repeatInterval)
		c.Event(named("a"), corev1.EventTypeWarning, "Lost", "it is lost")
		require.Len(t, *said, 3)
	})
	t.Run("the events of one object are bounded", func(t *testing.T) {
		c, now, said := recording()
		for i := range 100 {
			c.Event(named("a"), corev1.EventTypeWarning, "Lost", fmt.Sprint(i))
		}
		require.Len(t, *said, burst)
		c.Event(named("b"), corev1.EventTypeWarning, "Lost", "another one is")
		require.Len(t, *said, burst+1)
		*now = noon.Add(2*refillInterval + refillInterval/2)
		for i := range 100 {
			c.Event(named("a"), corev1.EventTypeWarning, "Lost", fmt.Sprint("later ", i))
		}
		require.Len(t, *said, burst+3, "one a minute")
		*now = noon.Add(3 * refillInterval)
		for i := range 100 {
			c.Event(named("a"), corev1.EventTypeWarning, "Lost", fmt.Sprint("later still ", i))
		}
		require.Len(t, *said, burst+4, "and half a minute is not lost")
	})
	t.Run("the tracked objects are bounded", func(t *testing.T) {
		c, now, _ := recording()
		for i := range 10 * maxObjects {
			c.Event(named(fmt.Sprint(i)), corev1.EventTypeWarning, "Lost", "x")
			*now = now.Add(time.Second)
		}
		require.LessOrEqual(t, len(c.objects), maxObjects+int(refillInterval/time.Second), "swept once a minute")
		for i := range 1000 {
			c.Event(named("a"), corev1.EventTypeWarning, "Lost", fmt.Sprint(i))
			*now = now.Add(time.Minute)
		}
		require.LessOrEqual(t, len(c.objects[objectKey{key: client.ObjectKeyFromObject(named("a"))}].written), 2*burst)
	})
	t.Run("a message is never too long", func(t *testing.T) {
		c, _, said := recording()
		c.Event(named("a"), corev1.EventTypeWarning, "Lost", strings.Repeat("é", maxMessage))
		text := strings.TrimPrefix((*said)[0], "a Warning Lost: ")
		require.LessOrEqual(t, len(text), maxMessage)
		require.True(t, utf8.ValidString(text))
		require.True(t, strings.HasSuffix(text, "..."))
	})
}
