package readiness_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/readiness"
)

var (
	begin     = time.Unix(1_800_000_000, 0)
	threshold = readiness.Thresholds{Failure: 30 * time.Second, Success: 20 * time.Second}
)

// TestAfter has one probe every ten seconds: + succeeds, - fails, ! is a refusal. want has the condition after each probe.
func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		recorded readiness.State
		probes   string
		want     string
	}{
		"the first probe counts at once":                   {readiness.State{}, "+", "+"},
		"a first failure counts at once":                   {readiness.State{}, "-", "-"},
		"a flap changes nothing":                           {readiness.State{}, "+--+--+", "+++++++"},
		"a failure for 30 s counts":                        {readiness.State{}, "+----", "++++-"},
		"a success for 20 s counts":                        {readiness.State{}, "-+++", "---+"},
		"a success begins the failures again":              {readiness.State{}, "+---+---", "++++++++"},
		"a failure begins the successes again":             {readiness.State{}, "-++-++", "------"},
		"a refusal counts at once":                         {readiness.State{}, "+!", "+-"},
		"the first probe after a refusal counts at once":   {readiness.State{}, "+!+", "+-+"},
		"a failure after a refusal does not count as flap": {readiness.State{}, "!-+++", "----+"},
		"a restart begins the failures again":              {readiness.State{Known: true, Ready: true}, "----", "+++-"},
		"a restart begins the successes again":             {readiness.State{Known: true}, "+++", "--+"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := c.recorded, ""
			for i, p := range c.probes {
				s = s.After(readiness.Observation{Ready: p == '+', Refused: p == '!', At: begin.Add(time.Duration(i) * 10 * time.Second)}, threshold)
				got += map[bool]string{true: "+", false: "-"}[s.Ready]
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestRecorded(t *testing.T) {
	refusals := []string{"AnotherCluster"}
	for name, c := range map[string]struct {
		ready *metav1.Condition
		want  readiness.State
	}{
		"no condition":  {nil, readiness.State{}},
		"never probed":  {&metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1alpha1.ClusterStatusNeverUpdated}, readiness.State{}},
		"no agent":      {&metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1alpha1.AgentNotConnected}, readiness.State{}},
		"Ready":         {&metav1.Condition{Status: metav1.ConditionTrue, Reason: v1alpha1.ClusterReady}, readiness.State{Known: true, Ready: true}},
		"not reachable": {&metav1.Condition{Status: metav1.ConditionFalse, Reason: v1alpha1.ClusterNotReachable}, readiness.State{Known: true}},
		"no heartbeat":  {&metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1alpha1.ClusterStatusUnknown}, readiness.State{Known: true}},
		"refused":       {&metav1.Condition{Status: metav1.ConditionFalse, Reason: "AnotherCluster"}, readiness.State{}},
	} {
		require.Equal(t, c.want, readiness.Recorded(c.ready, refusals), name)
	}
}

// TestProperties compares the state after each of many random probes, at random times and with random restarts, with the definition:
// the condition changes exactly when all probes of the threshold contradict it since the last restart.
func TestProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(17, uint64(time.Now().UnixNano())))
	flips := 0
	for range 300 {
		s, at := readiness.State{Known: true, Ready: random.IntN(2) == 0}, begin
		var contradicting []time.Time
		healthy := random.IntN(2) == 0
		for range 200 {
			at = at.Add(time.Duration(random.IntN(15_000)) * time.Millisecond)
			if random.IntN(8) == 0 {
				healthy = !healthy
			}
			if random.IntN(50) == 0 { // the process restarts: the condition is recorded, the probes are not
				s, contradicting = readiness.State{Known: true, Ready: s.Ready}, nil
			}
			before := s.Ready
			s = s.After(readiness.Observation{Ready: healthy, At: at}, threshold)
			if healthy == before {
				contradicting = nil
				require.Equal(t, before, s.Ready, "a probe that agrees changes nothing")
				continue
			}
			contradicting = append(contradicting, at)
			limit := threshold.Failure
			if healthy {
				limit = threshold.Success
			}
			require.Equal(t, at.Sub(contradicting[0]) >= limit, s.Ready != before, "after %s of contradiction", at.Sub(contradicting[0]))
			if s.Ready != before {
				flips, contradicting = flips+1, nil
			}
		}
		for range 30 { // the cluster stays as it is now
			at = at.Add(2 * time.Second)
			s = s.After(readiness.Observation{Ready: healthy, At: at}, threshold)
		}
		require.Equal(t, healthy, s.Ready, "the condition follows in the end")
		require.Zero(t, s.Contradicted)
	}
	require.Greater(t, flips, 1000, "the test sees changes")
}

func TestClockIsSetBack(t *testing.T) {
	s := readiness.State{Known: true, Ready: true, Contradicted: begin.Add(time.Hour)}
	for i := range 4 {
		require.True(t, s.Ready, "after %d failures", i)
		s = s.After(readiness.Observation{At: begin.Add(time.Duration(i) * 10 * time.Second)}, threshold)
	}
	require.False(t, s.Ready)
}
