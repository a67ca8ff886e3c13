package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// wantedReplicas is the number of replicas that the policy of the example wants: three on each of two clusters.
	wantedReplicas = 6
	// observeInterval is the time between two looks of the observer.
	observeInterval = 100 * time.Millisecond
	// doubtTime is the time for which nothing may move while three of four clusters do not answer.
	doubtTime = 15 * time.Second
)

// failoverFlags make the demo short. In operation a cluster fails for 30 seconds before it is not Ready, and five minutes later objects
// are evicted.
var failoverFlags = []string{"--cluster-failure-threshold", "2s", "--cluster-success-threshold", "2s", "--failover-eviction-timeout", "2s"}

// failover plays the example of that name.
func (s *stage) failover(ctx context.Context) error {
	if _, err := s.push(ctx, "1-web", "web on two of four clusters", "The policy asks for failover, and so does the Federation."); err != nil {
		return err
	}
	if err := s.waited(ctx, 0); err != nil {
		return err
	}
	see, err := s.observe(ctx)
	if err != nil {
		return err
	}
	defer see.close()
	for _, act := range []func(context.Context, *observer) error{s.rehearses, s.losesOne, s.getsItBack, s.losesThree, s.drains} {
		if err := act(ctx, see); err != nil {
			return err
		}
		least, gap := see.least()
		if gap > 0 {
			note("the observer did not look for %s", gap)
		}
		if least < wantedReplicas {
			return fmt.Errorf("the observer saw %d available replicas, and the policy wants %d", least, wantedReplicas)
		}
		note("the observer never saw fewer than %d available replicas (wanted: %d)", least, wantedReplicas)
	}
	return nil
}

// rehearses prints the failure of a cluster before it happens.
func (s *stage) rehearses(ctx context.Context, see *observer) error {
	heading("Rehearsal: what happens if a cluster fails")
	return s.tell(ctx, "plan", s.path("work"), "--federation", "demo/shop", "--simulate", "--unreachable", see.on()[0], "--for", "20m")
}

// losesOne cuts one of the two clusters from the hub.
func (s *stage) losesOne(ctx context.Context, see *observer) error {
	lost := see.on()[0]
	heading("%s does not answer any more", lost)
	note("Its pods run on, as far as anybody knows; the hub cannot tell.")
	begun := time.Now()
	s.cut(true, lost)
	if err := untilRuns(ctx, see, "a replacement", func(on []string) bool { return len(on) == 3 }); err != nil {
		return err
	}
	note("%s have a healthy copy %s after %s was lost", strings.Join(without(see.on(), lost), " and "), time.Since(begun).Round(100*time.Millisecond), lost)
	return s.tell(ctx, "why", "deployment/web", s.path("work"), "--federation", "demo/shop")
}

// getsItBack restores the cluster: its old copy goes before anything else happens there.
func (s *stage) getsItBack(ctx context.Context, see *observer) error {
	back := s.cutOff()
	heading("%s answers again", back)
	note("Its copy is superfluous now. accord deletes it because the replacement is healthy.")
	begun := time.Now()
	s.cut(false, back)
	if err := untilRuns(ctx, see, "the clean-up", func(on []string) bool { return len(on) == 2 && !slices.Contains(on, back) }); err != nil {
		return err
	}
	note("%s was cleaned up after %s; web runs on %s", back, time.Since(begun).Round(100*time.Millisecond), strings.Join(see.on(), " and "))
	return s.tell(ctx, "get", "clusters")
}

// losesThree cuts three clusters at once: then the hub doubts its own network.
func (s *stage) losesThree(ctx context.Context, see *observer) error {
	before := see.on()
	lost := slices.Clone(s.example.members[:3])
	heading("%s vanish at once", strings.Join(lost, ", "))
	note("Then the hub is probably the one that is cut off. Nothing is evicted.")
	s.cut(true, lost...)
	err := until(ctx, settle, "the doubt of the hub", func() (bool, error) {
		blocked, err := s.federationIs(ctx, v1alpha1.FailoverBlocked)
		return blocked != "", err
	})
	if err != nil {
		return err
	}
	for end := time.Now().Add(doubtTime); time.Now().Before(end); time.Sleep(time.Second) {
		if on := see.on(); !slices.Equal(on, before) {
			return fmt.Errorf("web ran on %v, and runs on %v while accord doubts its network", before, on)
		}
	}
	why, err := s.federationIs(ctx, v1alpha1.FailoverBlocked)
	if err != nil {
		return err
	}
	note("for %s nothing moved: %s", doubtTime, why)
	s.cut(false, lost...)
	return until(ctx, settle, "all clusters to be Ready", func() (bool, error) {
		why, err := s.federationIs(ctx, v1alpha1.FailoverBlocked)
		return why == "" && err == nil, err
	})
}

// drains empties a cluster that answers.
func (s *stage) drains(ctx context.Context, see *observer) error {
	empty := see.on()[0]
	heading("A person drains %s", empty)
	if err := s.tell(ctx, "drain", empty, "--on-hub", "--timeout", settle.String()); err != nil {
		return err
	}
	// The observer looks a moment later than the hub.
	if err := untilRuns(ctx, see, "the observer to see that "+empty+" is empty", func(on []string) bool { return len(on) == 2 && !slices.Contains(on, empty) }); err != nil {
		return err
	}
	note("web runs on %s", strings.Join(see.on(), " and "))
	return s.tell(ctx, "uncordon", empty, "--on-hub")
}

// federationIs returns the message of a condition of the Federation that is True; empty if it is not.
func (s *stage) federationIs(ctx context.Context, condition string) (string, error) {
	out, err := s.ask(ctx, "get", "federation", "shop", "--namespace", "demo", "-o", "json")
	if err != nil {
		return "", err
	}
	var f v1alpha1.Federation
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		return "", err
	}
	if c := meta.FindStatusCondition(f.Status.Conditions, condition); c != nil && c.Status == metav1.ConditionTrue {
		return c.Message, nil
	}
	return "", nil
}

// observer looks at the members themselves, past the hub and its network.
type observer struct {
	clients map[string]*kubernetes.Clientset
	end     context.CancelFunc
	ended   chan struct{}

	mu        sync.Mutex
	available map[string]int32 // replicas of the copy on each member that has one, in the last look
	fewest    int32
	late      time.Duration // the longest time between two looks
}

// observe begins to look at the Deployment on all members.
func (s *stage) observe(ctx context.Context) (*observer, error) {
	ctx, end := context.WithCancel(ctx)
	o := &observer{clients: map[string]*kubernetes.Clientset{}, end: end, ended: make(chan struct{})}
	for _, m := range s.example.members {
		cfg, err := clientcmd.BuildConfigFromFlags("", s.configs[m])
		if err == nil {
			o.clients[m], err = kubernetes.NewForConfig(cfg)
		}
		if err != nil {
			end()
			return nil, err
		}
	}
	var err error
	if o.available, err = o.look(ctx); err != nil {
		end()
		return nil, err
	}
	o.fewest = sum(o.available)
	go o.follow(ctx)
	return o, nil
}

// follow looks until the context ends. A member is read a moment after another one, so a copy may seem to be gone before its replacement
// is there: too few replicas count if the next look sees too few, too.
func (o *observer) follow(ctx context.Context) {
	defer close(o.ended)
	last, before := time.Now(), int32(wantedReplicas)
	for ctx.Err() == nil {
		if seen, err := o.look(ctx); err == nil {
			now := sum(seen)
			o.mu.Lock()
			o.available, o.fewest = seen, min(o.fewest, max(before, now))
			if gap := time.Since(last); gap > time.Second {
				o.late = max(o.late, gap)
			}
			o.mu.Unlock()
			last, before = time.Now(), now
		}
		select {
		case <-time.After(observeInterval):
		case <-ctx.Done():
		}
	}
}

// look reads the available replicas on all members at once.
func (o *observer) look(ctx context.Context) (map[string]int32, error) {
	var mu sync.Mutex
	seen := map[string]int32{}
	g, ctx := errgroup.WithContext(ctx)
	for m, client := range o.clients {
		g.Go(func() error {
			d, err := client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			} else if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			seen[m] = d.Status.AvailableReplicas
			return nil
		})
	}
	return seen, g.Wait()
}

func sum(replicas map[string]int32) (all int32) {
	for _, n := range replicas {
		all += n
	}
	return all
}

// least returns the fewest replicas that were available at any moment, and the longest time between two looks, if it was above a second.
func (o *observer) least() (int32, time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.fewest, o.late.Round(time.Millisecond)
}

// on returns the members with all replicas of their copy available, sorted.
func (o *observer) on() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var on []string
	for _, m := range slices.Sorted(maps.Keys(o.available)) {
		if o.available[m] == wantedReplicas/2 {
			on = append(on, m)
		}
	}
	return on
}

func (o *observer) close() {
	o.end()
	<-o.ended
}

// untilRuns waits until the Deployment runs on the wanted members.
func untilRuns(ctx context.Context, see *observer, what string, wanted func(on []string) bool) error {
	err := until(ctx, settle, what, func() (bool, error) { return wanted(see.on()), nil })
	if err != nil {
		return errors.Join(err, fmt.Errorf("web runs on %v", see.on()))
	}
	return nil
}

func without(all []string, one string) []string {
	return slices.DeleteFunc(all, func(x string) bool { return x == one })
}
