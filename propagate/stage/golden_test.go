package stage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/stage"
)

// TestSimulate runs every case of testdata: prose on top, a RolloutPolicy and Clusters as Git would have them, what
// happens in scenario.yaml, and the timeline. Each step is also decided a second time, from a state that was written as
// YAML and read, and with the clusters shuffled, and must give the same.
func TestSimulate(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, g *golden.Case) {
		c := load(t, g.Archive)
		random := rand.New(rand.NewPCG(1, 2))
		var got strings.Builder
		line := stage.Play(c.input, c.scenario, func(s stage.Step) { same(t, random, s) })
		got.WriteString(line.String())
		if c.shown {
			show(&got, line.Last)
		}
		g.Equal(t, "want", got.String())
	})
}

// same decides a step again, from what a restart leaves of it.
func same(t *testing.T, random *rand.Rand, s stage.Step) {
	t.Helper()
	in := s.Input
	in.Clusters = slices.Clone(in.Clusters)
	random.Shuffle(len(in.Clusters), func(i, j int) { in.Clusters[i], in.Clusters[j] = in.Clusters[j], in.Clusters[i] })
	in.Previous = reread(t, in.Previous)
	require.Equal(t, asYAML(t, s.Outcome), asYAML(t, stage.Decide(in)), "after a restart, at %s", s.At)
}

func reread(t *testing.T, before stage.State) stage.State {
	t.Helper()
	var after stage.State
	require.NoError(t, yaml.UnmarshalStrict([]byte(asYAML(t, before)), &after))
	return after
}

func asYAML(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// testCase is one file of testdata. Unless the part "input" says so, version b of revision bbb is wanted on every
// cluster, and version a of revision aaa is there and healthy.
type testCase struct {
	input    stage.Input
	scenario stage.Scenario
	shown    bool
}

type head struct {
	Now     time.Time         `json:"now"`
	Wanted  map[string]string `json:"wanted"`
	Running map[string]string `json:"running"`
	Show    bool              `json:"show"` // the last outcome, too
	Orders  []policy.Command  `json:"orders"`
}

var begin = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) // a Monday

func load(t *testing.T, archive *txtar.Archive) testCase {
	t.Helper()
	var c testCase
	var h head
	var rollout policy.Rollout
	var clusters []fleet.Cluster
	for _, f := range archive.Files {
		switch f.Name {
		case "scenario.yaml":
			require.NoError(t, yaml.UnmarshalStrict(f.Data, &c.scenario))
		case "input":
			require.NoError(t, yaml.UnmarshalStrict(f.Data, &h))
		case "rollout.yaml":
			u := object(t, f.Data)
			var err error
			rollout, err = policy.DecodeRollout(u, f.Data, manifest.Origin{Path: f.Name, Line: 1})
			require.NoError(t, err)
		case "fleet.yaml":
			clusters = decodeFleet(t, f.Data)
		}
	}
	c.shown = h.Show
	c.input = input(&rollout, clusters)
	c.input.Commands = append(h.Orders, rollout.Commands...)
	if !h.Now.IsZero() {
		c.input.Now = h.Now
	}
	for i := range c.input.Clusters {
		it := &c.input.Clusters[i]
		if wanted, ok := h.Wanted[it.Name]; ok {
			it.Wanted = wanted
		}
		if running, ok := h.Running[it.Name]; ok {
			it.Report.Digest = running
			it.Report.Revision = ""
			if running != "" {
				it.Report.Revision = "main@sha1:" + strings.Repeat(running, 3)
			}
		}
	}
	return c
}

// input wants b on every cluster, where a is.
func input(rollout *policy.Rollout, clusters []fleet.Cluster) stage.Input {
	in := stage.Input{Revision: "main@sha1:bbb", Now: begin}
	var targets []string
	for _, f := range clusters {
		targets = append(targets, f.Name)
		in.Clusters = append(in.Clusters, stage.Cluster{Name: f.Name, Wanted: "b", Report: stage.Report{
			Digest: "a", Revision: "main@sha1:aaa", Health: stage.Healthy, Since: begin.Add(-24 * time.Hour),
		}})
	}
	in.Sequence = stage.NewSequence(rollout, clusters, targets)
	return in
}

func decodeFleet(t *testing.T, text []byte) []fleet.Cluster {
	t.Helper()
	var all []fleet.Cluster
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var named struct {
			Name   string            `json:"name"`
			Labels map[string]string `json:"labels"`
		}
		require.NoError(t, yaml.UnmarshalStrict(bytes.TrimPrefix(line, []byte("- ")), &named))
		c := v1alpha1.Cluster{}
		c.Name, c.Labels = named.Name, named.Labels
		all = append(all, fleet.From(c, manifest.Origin{Path: "fleet.yaml"}))
	}
	return all
}

func object(t *testing.T, text []byte) *unstructured.Unstructured {
	t.Helper()
	encoded, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal(encoded, &u.Object))
	return u
}

// show is an outcome as a status would have it.
func show(b *strings.Builder, o stage.Outcome) {
	for _, f := range o.Stages {
		fmt.Fprintf(b, "  %-8s %d/%d given, %d healthy, %d failing, %d held, %d unreachable: %s\n",
			f.Name, f.Updated, f.Clusters, f.Healthy, f.Failing, f.Held, f.Unreachable, f.Message)
	}
	for _, d := range o.Decisions {
		switch {
		case d.RollbackTo != nil:
			fmt.Fprintf(b, "  %s: restore %s of %s: %s\n", d.Cluster, d.RollbackTo.Digest, d.RollbackTo.Revision, d.Held)
		case d.Held != "":
			fmt.Fprintf(b, "  %s: held: %s\n", d.Cluster, d.Held)
		default:
			fmt.Fprintf(b, "  %s: has what is wanted\n", d.Cluster)
		}
	}
	if w := o.WaitingFor; w != nil {
		fmt.Fprintf(b, "  waits for %s %s since %s", w.Cluster, w.Message, w.Since.Format("Mon 15:04"))
		if !w.Deadline.IsZero() {
			fmt.Fprintf(b, ", until %s", w.Deadline.Format("Mon 15:04"))
		}
		b.WriteString("\n")
	}
	if !o.RequeueAt.IsZero() {
		fmt.Fprintf(b, "  looks again %s\n", o.RequeueAt.Format("Mon 15:04"))
	}
}
