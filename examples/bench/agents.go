package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// agentsRound measures members in pull mode: the hub is "accord up".
type agentsRound struct {
	scaleRound
	processes int    // agents that are processes of their own
	programs  string // directory
	agents    []*process
	points    agentFigures
}

// agentFigures are those of members in pull mode.
type agentFigures struct {
	registered             time.Duration // all members
	before, waiting        hubUsage      // without clusters, and while all agents wait
	ready, applied         time.Duration // since all agents started at once
	cold                   effort        // until the hub is at rest again
	floor                  arrival       // of one changed object, by a bare hub and bare agents
	floorCPU               time.Duration // of both
	arrivals               []arrival     // of one changed object, by each push
	change                 effort        // of all pushes
	pushCPU                time.Duration // of the hub, for all pushes, beyond that at rest
	changeCPU              time.Duration // of the process with most agents, by all pushes
	rest                   time.Duration
	alone, quiet           hubEffort     // of the hub at rest without clusters, and with all agents
	recovered              time.Duration // since the restart of the hub, until a commit is applied on all members
	rewritten, restWritten int           // writes at the members beside that commit, and at rest
}

// runAgents measures s.members members in pull mode.
func runAgents(ctx context.Context, s scaling, processes int, progress io.Writer) (*agentsRound, error) {
	dir, err := os.MkdirTemp("", "accord-agents-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	say := func(format string, args ...any) {
		fmt.Fprintf(progress, time.Now().Format("15:04:05 ")+format+"\n", args...)
	}
	say("building (the first time this compiles Kubernetes, which takes minutes)")
	programs := filepath.Join(dir, "bin")
	if err := build(ctx, programs, "accord", "accord-agent", "accord-apiserver"); err != nil {
		return nil, err
	}
	if s.accord == "" {
		s.accord = filepath.Join(programs, "accord")
	}
	r := &agentsRound{scaleRound: scaleRound{scaling: s, dir: dir, say: say, figures: scalePoint{members: s.members, objects: s.objects}}, processes: processes, programs: programs}
	r.points.rest = s.rest
	defer r.close()
	if r.members, err = startSmall(dir, s.members); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"the hub", r.open}, {"nothing to do, without clusters", r.idleAlone}, {"registration", r.register}, {"all agents start at once", r.cold},
		{"nothing to do", r.idleAgents}, {"one object changed, by the floor", r.agentsFloor}, {"one object changed", r.changeOne}, {"the hub starts again", r.restartHub},
	} {
		say("%d agents: %s", s.members, step.what)
		limited, cancel := context.WithTimeout(ctx, scaleLimit)
		err := step.do(limited)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return r, nil
}

func (r *agentsRound) close() {
	for _, p := range r.agents {
		p.stop()
	}
	if r.ours != nil && r.ours.process != nil {
		r.ours.process.stop()
	}
	r.members.stop()
}

// open starts the hub with a Federation whose objects are to go to every member.
func (r *agentsRound) open(ctx context.Context) (err error) {
	r.ours = &ourSide{side: side{workload: workload{namespace: "ours", objects: r.objects}, members: r.members}, dir: r.dir, program: r.accord}
	o := r.ours
	if o.repository, err = newRepository(ctx, r.dir); err != nil {
		return err
	}
	if err := errors.Join(o.firstCommit(ctx), o.repository.writeObjects(o.workload, 0, r.objects, "1.0.0"), o.repository.push(ctx, "everything")); err != nil {
		return err
	}
	if err := o.listen(); err != nil {
		return err
	}
	if err := r.up(ctx); err != nil {
		return err
	}
	objects, err := declarations(&fleet{}, federation(o.repository.url(), false))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := createWhenServed(ctx, o.declared, object); err != nil {
			return fmt.Errorf("declaring %T %s: %w", object, object.GetName(), err)
		}
	}
	return o.request(ctx)
}

// up starts the hub, and returns when it answers.
func (r *agentsRound) up(ctx context.Context) (err error) {
	at := filepath.Join(r.dir, hubName)
	if r.ours.process, err = spawn(r.dir, "accord", r.accord, "up", "--data-dir", at, "--webhook-bind-address", r.ours.hook, "--pprof", r.ours.pprof, "--allow-local-sources"); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		return err
	}
	path := filepath.Join(at, "kubeconfig")
	return r.poll(ctx, 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		cfg, err := clientConfig(path)
		if err != nil {
			return false, nil // it is not written yet
		}
		c, err := client.New(cfg, client.Options{Scheme: scheme})
		if err != nil || c.List(ctx, &v1alpha1.FederationList{}) != nil {
			return false, nil
		}
		r.ours.declared = c
		r.hub = &fleet{process: r.ours.process, kubeconfigs: map[string]string{hubName: path}, configs: map[string]*rest.Config{hubName: cfg}}
		return true, nil
	})
}

// cold starts all agents at once; everything is in Git already.
func (r *agentsRound) cold(ctx context.Context) (err error) {
	if err := r.calm(ctx); err != nil {
		return err
	}
	done := r.profileHub(ctx, "cold", 15*time.Second)
	r.points.cold, err = r.spent(ctx, func() error { return r.startAll(ctx) })
	return errors.Join(err, done())
}

// startAll starts all agents, and returns when everything is applied and reported.
func (r *agentsRound) startAll(ctx context.Context) (err error) {
	begun := time.Now()
	if err := r.startAgents(); err != nil {
		return err
	}
	if err := r.poll(ctx, listInterval, r.connected); err != nil {
		return err
	}
	r.points.ready = time.Since(begun)
	if r.points.applied, err = r.allApplied(ctx, begun); err != nil {
		return err
	}
	r.say("all Clusters Ready after %s, everything applied after %s", milliseconds(r.points.ready), milliseconds(r.points.applied))
	return r.calm(ctx)
}

// listInterval is the time between two lists of all Clusters. A thousand of them take the hub much CPU time, which the agents need.
const listInterval = 2 * time.Second

// connected reports whether all Clusters are Ready. A hub that has no time to answer is asked again.
func (r *agentsRound) connected(ctx context.Context) (bool, error) {
	all, err := r.allConnected(ctx)
	return err == nil && all, nil
}

// idleAlone measures the hub at rest without clusters.
func (r *agentsRound) idleAlone(ctx context.Context) (err error) {
	if err := r.calm(ctx); err != nil {
		return err
	}
	if r.points.alone, err = r.resting(ctx); err != nil {
		return err
	}
	r.points.before, err = r.hubUsage(ctx)
	return errors.Join(err, r.keepHub(ctx, "alone"))
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func (r *agentsRound) idleAgents(ctx context.Context) (err error) {
	done := r.profileHub(ctx, "rest", r.rest)
	if r.points.quiet, err = r.resting(ctx); err != nil {
		return err
	}
	if err := errors.Join(done(), r.keepHub(ctx, "waiting")); err != nil {
		return err
	}
	r.points.restWritten = r.points.quiet.members.changing()
	r.points.waiting, err = r.hubUsage(ctx)
	r.say("CPU of the hub %s, of accord alone %s; without clusters %s, %s", r.points.quiet.cpu, r.points.quiet.own, r.points.alone.cpu, r.points.alone.own)
	r.say("memory %s; without clusters %s", r.points.waiting, r.points.before)
	return err
}

// agentPushes is the number of pushes of which the median is taken.
const agentPushes = 5

// changeOne pushes other tags of one Deployment, each when all members have the one before.
func (r *agentsRound) changeOne(ctx context.Context) error {
	done := r.profileHub(ctx, "change", 15*time.Second)
	most := r.agents[len(r.agents)-1]
	used, err := most.cpu()
	if err != nil {
		return err
	}
	r.points.change, err = r.spent(ctx, func() error {
		for i := range agentPushes {
			if err := r.commit(ctx, fmt.Sprint("1.1.", i)); err != nil {
				return err
			}
			if err := r.push(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, done()); err != nil {
		return err
	}
	now, err := most.cpu()
	r.points.changeCPU = now - used
	return err
}

// reported returns the time after which all agents have reported a commit, and the hub has written what follows.
func (r *agentsRound) reported() time.Duration {
	return max(5*time.Second, time.Duration(r.figures.members)*10*time.Millisecond)
}

// push requests a reconciliation of the commit, and records when members had it, and the CPU time of the hub until everything is reported.
func (r *agentsRound) push(ctx context.Context) error {
	before, err := r.members.count(ctx)
	if err != nil {
		return err
	}
	used, err := r.ours.process.cpu()
	if err != nil {
		return err
	}
	var ours arrival
	begun := time.Now()
	if err := r.ours.pushed(ctx); err != nil {
		return err
	}
	err = r.reach(ctx, before, func(members int) { ours.saw(members, r.figures.members, time.Since(begun)) })
	if err := errors.Join(err, pause(ctx, r.reported())); err != nil {
		return err
	}
	now, err := r.ours.process.cpu()
	if err != nil {
		return err
	}
	atRest := time.Duration(float64(r.points.quiet.cpu) * float64(time.Since(begun)) / float64(r.rest))
	r.points.arrivals, r.points.pushCPU = append(r.points.arrivals, ours), r.points.pushCPU+now-used-atRest
	r.say("on half of the members after %s, on 99 %% after %s; CPU of the hub %s", milliseconds(ours.half), milliseconds(ours.most), now-used-atRest)
	return r.calm(ctx)
}

func (r *agentsRound) commit(ctx context.Context, tag string) error {
	return errors.Join(r.ours.repository.writeObjects(r.ours.workload, 0, 1, tag), r.ours.repository.push(ctx, "tag "+tag))
}

// reach returns when each member has got one more Deployment since before. saw gets the number of members that have, again and again.
func (r *agentsRound) reach(ctx context.Context, before requests, saw func(members int)) error {
	return r.poll(ctx, 5*time.Millisecond, func(ctx context.Context) (bool, error) {
		now, err := r.members.count(ctx)
		n := now.since(before)["APPLY deployments"]
		saw(n)
		return n >= r.figures.members, err
	})
}

// restartHub ends the hub and starts it again, with another commit in Git.
func (r *agentsRound) restartHub(ctx context.Context) error {
	if err := r.commit(ctx, "1.2.0"); err != nil {
		return err
	}
	before, err := r.members.count(ctx)
	if err != nil {
		return err
	}
	r.ours.process.stop()
	begun := time.Now()
	if err := r.up(ctx); err != nil {
		return err
	}
	if err := r.reach(ctx, before, func(int) {}); err != nil {
		return err
	}
	r.points.recovered = time.Since(begun)
	r.say("a new commit is on all members %s after the restart", milliseconds(r.points.recovered))
	if err := r.calm(ctx); err != nil {
		return err
	}
	after, err := r.members.count(ctx)
	r.points.rewritten = after.since(before).changing() - r.figures.members
	return err
}

// median returns the medians of all pushes.
func (p agentFigures) median() (half, most time.Duration) {
	var halves, mosts []time.Duration
	for _, a := range p.arrivals {
		halves, mosts = append(halves, a.half), append(mosts, a.most)
	}
	return middle(halves), middle(mosts)
}

// print prints the figures beside their bars.
func (r *agentsRound) print(w io.Writer) error {
	p, n := r.points, float64(r.figures.members)
	kib := func(more int64) float64 { return float64(more) / n / 1024 }
	accord, apiserver := kib(p.waiting.accord-p.before.accord), kib(p.waiting.apiserver-p.before.apiserver)
	perMinute := func(more time.Duration) float64 { return float64(more.Microseconds()) / 1000 / n / p.rest.Minutes() }
	cpu, own := perMinute(p.quiet.cpu-p.alone.cpu), perMinute(p.quiet.own-p.alone.own)
	each := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000/n) }
	half, most := p.median()
	fmt.Fprintf(w, "%d agents, %d of them processes of their own, %d objects on each member. The hub is accord up: accord, and a process with API server and store.\n\n", r.figures.members, min(r.processes, r.figures.members), r.objects)
	err := printRows(w, []row{
		{what: "all registered", ours: milliseconds(p.registered)},
		{what: "all agents start at once: all Clusters Ready", ours: milliseconds(p.ready)},
		{what: "  everything applied", ours: milliseconds(p.applied)},
		{what: "  CPU of the hub per agent", ours: each(p.cold.cpu)},
		{what: fmt.Sprintf("one object changed: p50 of the members, median of %d pushes", len(p.arrivals)), floor: milliseconds(p.floor.half), ours: milliseconds(half), ratio: ratio(half, p.floor.half)},
		{what: "  p99", floor: milliseconds(p.floor.most), ours: milliseconds(most), ratio: ratio(most, p.floor.most), figure: agentChange, value: most.Seconds()},
		{what: "  CPU of the hub per agent", ours: each(p.pushCPU / agentPushes)},
		{what: "  CPU of the agent (of the floor: of both)", floor: each(p.floorCPU), ours: each(p.changeCPU / agentPushes)},
		{what: "memory of the hub per agent: heap and stacks", ours: fmt.Sprintf("%.0f KiB", accord+apiserver), figure: agentMemory, value: accord + apiserver},
		{what: "  of accord", ours: fmt.Sprintf("%.0f KiB", accord)},
		{what: "  resident, of both", ours: fmt.Sprintf("%.0f KiB", kib(p.waiting.resident-p.before.resident))},
		{what: "CPU of the hub at rest, per agent and minute", ours: fmt.Sprintf("%.1f ms", cpu), figure: agentCPU, value: cpu},
		{what: "  of accord", ours: fmt.Sprintf("%.1f ms", own)},
		{what: "  writes at the members", ours: fmt.Sprint(p.restWritten)},
		{what: "hub restarted: a new commit applied on all", ours: milliseconds(p.recovered), figure: agentRestart, value: p.recovered.Seconds()},
		{what: "  other writes at the members", ours: fmt.Sprint(p.rewritten), figure: agentRewrites, value: float64(p.rewritten)},
	}, r.objects, r.figures.members)
	fmt.Fprintf(w, "\nall agents started at once, at the hub: %s\n", strings.TrimSpace(p.cold.hub.String()))
	fmt.Fprintf(w, "one object changed %d times, at the hub: %s\n", agentPushes, strings.TrimSpace(p.change.hub.String()))
	fmt.Fprintf(w, "at rest for %s, at the hub: %s\n", p.rest, strings.TrimSpace(p.quiet.hub.String()))
	return err
}
