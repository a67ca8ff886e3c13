package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// step is one commit of the example and what is expected of it.
type step struct {
	dir     string
	subject string
	story   string
	held    int // clusters that it leaves held
}

var steps = []step{
	{"1-v1-everywhere", "nginx 1.27.5 on three clusters",
		"One Deployment and one PropagationPolicy, as a Karmada user writes them.", 0},
	{"2-v2-on-c", "nginx 1.28.0, cluster-c first",
		"The image changes; suspension.dispatchingOnClusters holds cluster-a and cluster-b back.", 2},
	{"3-v2-on-b-and-c", "nginx 1.28.0 on cluster-b too",
		"One name less in the suspension.", 1},
	{"4-v2-everywhere", "nginx 1.28.0 everywhere",
		"No suspension any more.", 0},
}

// rollout plays the example of that name.
func (s *stage) rollout(ctx context.Context) error {
	for _, step := range steps {
		if err := s.step(ctx, step); err != nil {
			return fmt.Errorf("step %s: %w", step.dir, err)
		}
	}
	return nil
}

// step reviews and pushes one step, waits until it is delivered, and shows the result.
func (s *stage) step(ctx context.Context, st step) error {
	if err := s.commit(ctx, st.dir, st.subject, st.story); err != nil {
		return err
	}
	digest, err := s.review(ctx)
	if err != nil {
		return err
	}
	sha, err := s.pushed(ctx)
	if err != nil {
		return err
	}
	release := "release/shop-" + sha[:12]
	if st.held == 0 {
		if err := s.waitReady(ctx, release); err != nil {
			return err
		}
	} else if err := s.waitHeld(ctx, release, st.held); err != nil {
		return err
	}
	if err := s.asReviewed(ctx, release, digest); err != nil {
		return err
	}
	return s.show(ctx)
}

// review plans the commit that is not pushed yet, as the pipeline of a pull request does, and returns the digest of the plan;
// empty for the first commit, which has no base.
func (s *stage) review(ctx context.Context) (string, error) {
	if s.commits == 1 {
		return "", nil
	}
	out, err := command(ctx, s.path("bin", "accord"), "plan", s.path("work"), "--base", "HEAD~1", "--head", "HEAD",
		"--federation", "demo/shop", "--kubeconfig", s.hub(), "--fail-on", "error", "-o", "json")
	if err != nil {
		return "", err
	}
	var plan struct {
		Verdict string
		After   struct{ Digest string }
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		return "", err
	}
	note("accord plan: %s", plan.Verdict)
	return plan.After.Digest, nil
}

// asReviewed checks that the controllers activated the plan that was reviewed.
func (s *stage) asReviewed(ctx context.Context, release, digest string) error {
	delivered, err := s.ask(ctx, "get", "--namespace", "demo", release, "-o", "jsonpath={.spec.planDigest}")
	if err != nil || digest == "" {
		return err
	}
	if delivered != digest {
		return fmt.Errorf("the reviewed plan is %s, but %s has %s", digest, release, delivered)
	}
	note("the reviewed plan was activated: %s", digest[:len("sha256:")+12])
	return nil
}

// waitReady is kubectl wait, and the proof that it returned when the last cluster was done and no earlier.
func (s *stage) waitReady(ctx context.Context, release string) error {
	begun := time.Now()
	if _, err := s.ask(ctx, "wait", "--namespace", "demo", release, "--for=create", "--timeout=1m"); err != nil {
		return err
	}
	if _, err := s.ask(ctx, "wait", "--namespace", "demo", release, "--for=condition=Ready", "--timeout=2m"); err != nil {
		return err
	}
	took := time.Since(begun)
	rows, err := s.look(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.image != rows[0].image || r.ready != r.wanted || r.observed < r.generation {
			return fmt.Errorf("kubectl wait returned although %s is not done: %+v", r.cluster, r)
		}
	}
	note("kubectl wait %s --for=condition=Ready returned after %s; all %d clusters are done", release, took.Round(10*time.Millisecond), len(rows))
	return nil
}

// waitHeld waits until all clusters but the held ones are done, and shows that kubectl wait does not return.
func (s *stage) waitHeld(ctx context.Context, release string, held int) error {
	done := func() (bool, error) {
		out, err := s.ask(ctx, "get", "--namespace", "demo", release, "-o", "json", "--ignore-not-found")
		if err != nil || out == "" {
			return false, err
		}
		var r v1alpha1.Release
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			return false, err
		}
		return int(r.Status.Summary.Held) == held && int(r.Status.Summary.Healthy) == len(s.example.members)-held, nil
	}
	if err := until(ctx, settle, release, done); err != nil {
		return err
	}
	_, err := s.ask(ctx, "wait", "--namespace", "demo", release, "--for=condition=Ready", "--timeout="+heldWait.String())
	if err == nil {
		return fmt.Errorf("kubectl wait %s returned although %d clusters are held", release, held)
	}
	note("kubectl wait %s --for=condition=Ready does not return within %s: %d held", release, heldWait, held)
	return nil
}

// row holds the image and the figures of the Deployment on one cluster.
type row struct {
	cluster              string
	image                string
	ready, wanted        int32
	generation, observed int64
}

// look reads the Deployments from the members, not from accord.
func (s *stage) look(ctx context.Context) ([]row, error) {
	var rows []row
	for _, m := range s.example.members {
		out, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[m], "get", "deployment", "nginx", "-o", "json")
		if err != nil {
			return nil, err
		}
		var d appsv1.Deployment
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			return nil, err
		}
		rows = append(rows, row{
			cluster: m, image: d.Spec.Template.Spec.Containers[0].Image,
			ready: d.Status.ReadyReplicas, wanted: *d.Spec.Replicas,
			generation: d.Generation, observed: d.Status.ObservedGeneration,
		})
	}
	return rows, nil
}

// show prints the version on each cluster, the held clusters, and the conditions on the hub.
func (s *stage) show(ctx context.Context) error {
	rows, err := s.look(ctx)
	if err != nil {
		return err
	}
	out, err := s.ask(ctx, "get", "federatedobjects", "--namespace", "demo", "-o", "json")
	if err != nil {
		return err
	}
	var objects v1alpha1.FederatedObjectList
	if err := json.Unmarshal([]byte(out), &objects); err != nil {
		return err
	}
	fmt.Println()
	for _, o := range objects.Items {
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "   CLUSTER\tIMAGE\tREADY\tHELD\tGENERATION\tOBSERVED")
		for _, r := range rows {
			held := "-"
			if slices.Contains(o.Spec.Held, r.cluster) {
				held = "held"
			}
			fmt.Fprintf(table, "   %s\t%s\t%d/%d\t%s\t%d\t%d\n", r.cluster, r.image, r.ready, r.wanted, held, r.generation, r.observed)
		}
		ready := meta.FindStatusCondition(o.Status.Conditions, "Ready")
		fmt.Fprintf(table, "   federatedobject\t%s\t%s\t%d held\t%d\t%d\n", strings.ToLower(o.Spec.Template.Kind+"/"+o.Spec.Template.Name),
			o.Status.Summary.Display, o.Status.Summary.Held, o.Generation, o.Status.ObservedGeneration)
		if err := table.Flush(); err != nil {
			return err
		}
		note("Ready=%s: %s", ready.Status, ready.Message)
	}
	return nil
}
