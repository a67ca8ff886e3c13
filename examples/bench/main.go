// Bench measures accord beside the floor: a bare client-go program that server-side-applies the same objects to the
// same members, without limiter, knowing nothing of Git, policies or status. Walls are noisy on shared machines;
// their ratio to a floor taken minutes before on the same members is less so, and CPU seconds and requests are steady.
//
//	go run ./examples/bench                             600 objects on 10 members, as the bars say
//	go run ./examples/bench --members 3 --objects 60    a short one
//	go run ./examples/bench --faults --members 20       another one: 16 members beside four that do not work
//	go run ./examples/bench --grow                      another one: how each figure grows with objects and with members
//	go run ./examples/bench --plan                      another one: accord plan in a pipeline
//	go run ./examples/bench --search                    another one: lists, watches and caches of all clusters
//	go run ./examples/bench --live-source               another one: a standby that follows a production cluster
//	go run ./examples/bench --scale 1000                another one: up to 1,000 small members (docs/how-to/scale.md)
//	go run ./examples/bench --agents 1000               another one: 1,000 members in pull mode (docs/how-to/scale.md)
//
// Two figures are of their own kind. One object changed during an override: how long a small change takes while all
// other Deployments are being delivered, beside the same change when accord is idle. Image changed ->
// observedGeneration: from the push hook until status.observedGeneration of the FederatedObject stands with its new
// generation, on members of their own with controllers and pretended nodes; the floor applies the image and a watch on
// each member shows the same of the Deployments. Every such claim of accord is checked at the members. See README.md.
//
// Members, hub, floor and accord are processes of their own, so that CPU, memory and requests of each are its own.
// It reads /proc, so it runs on Linux only, and needs git and about 250 MB of memory a member.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// asFloor as the first argument turns the program into the floor.
const asFloor = "floor"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case asFloor:
			return floor(ctx, args[1:], os.Stdin, os.Stdout)
		case asFollower:
			return follower(ctx, args[1:], os.Stderr)
		case asMembers:
			return smallMembers(ctx, args[1:], os.Stdin, os.Stdout)
		case asAgents:
			return manyAgents(ctx, args[1:], os.Stdin, os.Stdout, os.Stderr)
		}
	}
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	s := o.scale
	s.accord = o.accord
	switch {
	case o.faults:
		return printed(runFaults(ctx, scaling{members: o.members, objects: o.objects, accord: o.accord}, o.pushes, os.Stderr))
	case o.agents > 0:
		s.members = o.agents
		return printed(runAgents(ctx, s, o.agentProcesses, os.Stderr))
	case o.scale.members > 0:
		f, err := runScale(ctx, s, os.Stderr)
		if f != nil && len(f.points) > 0 { // the sizes before the one that failed
			err = errors.Join(err, f.print(os.Stdout))
		}
		return err
	case o.search:
		return printed(runSearch(ctx, o.searching, os.Stderr))
	case o.following.wanted:
		return printed(runLiveSource(ctx, o.following, os.Stderr))
	case o.growing.wanted:
		f, err := runGrow(ctx, o.growing, os.Stderr)
		return errors.Join(err, f.print(os.Stdout))
	case o.plan:
		return printed(runPlan(ctx, o.planning, os.Stderr))
	}
	return printed(run(ctx, o, os.Stderr))
}

// printed prints the figures of a measurement, or returns its error.
func printed[F interface{ print(io.Writer) error }](figures F, err error) error {
	if err != nil {
		return err
	}
	return figures.print(os.Stdout)
}

// options are the command line.
type options struct {
	members int
	objects int // five of six are Deployments, the others ConfigMaps
	pushes  int
	// directories of the repository that the objects are spread over; 0: all are in one.
	directories int
	accord      string
	// profiles is the directory in which CPU profiles of accord are kept; absent: none are.
	profiles string
	// preflight: the Federation has its changes tried before they are written. The bars are for without.
	preflight bool
	// busy: one change while many are delivered is measured, too.
	busy bool
	// statusMembers is the number of members with controllers for the status path; 0 leaves it out.
	statusMembers int
	// faults: instead, beside members that do not work.
	faults bool
	scale  scaling // instead, when it has members
	// agents: instead, so many members in pull mode; agentProcesses of their agents are processes of their own.
	agents, agentProcesses int
	growing                growing // instead, how the figures grow, if that is wanted
	// search: instead, the view of all clusters.
	search    bool
	searching searching
	following following // instead, a live source, if it is wanted
	// plan: instead, accord plan in a pipeline.
	plan     bool
	planning planning
	// small: the members are small API servers in one process.
	small bool
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.members, "members", 10, "member clusters")
	f.IntVar(&o.objects, "objects", 600, "objects on each; five of six are Deployments")
	f.IntVar(&o.pushes, "pushes", 20, "pushes that change one object, of which the median is taken")
	f.IntVar(&o.directories, "directories", 0, "spread the files of the repository over so many directories; 0: all are in one")
	f.StringVar(&o.accord, "accord", "", "the accord to measure; absent: built from this repository")
	f.StringVar(&o.profiles, "profiles", "", "keep CPU profiles of accord for each step in this directory")
	f.BoolVar(&o.small, "small", false, "the members are small API servers in one process, which leave more of the machine to accord")
	f.BoolVar(&o.preflight, "preflight", false, "have changes tried on all members before they are written")
	f.BoolVar(&o.busy, "busy", true, "measure one changed object while an override is delivered, too; takes about 2 minutes of the whole")
	f.IntVar(&o.statusMembers, "status-members", 3, "members with controllers, started for the status path alone; takes about 4 minutes of the whole, 0 leaves it out")
	f.BoolVar(&o.faults, "faults", false, "measure instead what four of the members cost the others that do not work; the members are small API servers in one process")
	f.IntVar(&o.scale.members, "scale", 0, "measure instead how accord grows up to so many members, which are small API servers in one process")
	f.IntVar(&o.scale.objects, "scale-objects", 100, "objects on each of those")
	f.DurationVar(&o.scale.rest, "scale-rest", time.Minute, "how long accord is then watched doing nothing")
	f.StringVar(&o.scale.profiles, "scale-profiles", "", "keep profiles of accord in this directory")
	f.IntVar(&o.agents, "agents", 0, "measure instead so many members in pull mode, with --scale-objects and --scale-rest")
	f.IntVar(&o.agentProcesses, "agent-processes", 10, "agents of --agents that are processes of their own")
	f.BoolVar(&o.growing.wanted, "grow", false, "measure instead how each figure grows with objects on one member, and with members; they are small API servers in one process")
	f.IntVar(&o.growing.objects, "objects-max", 60000, "objects of --grow at most; also a tenth and a hundredth of them")
	f.IntVar(&o.growing.members, "members-max", 1000, "members of --grow at most; also a tenth and a hundredth of them; 0 leaves them out")
	f.BoolVar(&o.search, "search", false, "measure instead the view of all clusters: memory of its caches, lists and watches")
	f.IntVar(&o.searching.pods, "search-pods", 10000, "pods of all ten clusters of --search")
	f.IntVar(&o.searching.changes, "search-changes", 200, "changes whose way to a watch --search measures")
	f.BoolVar(&o.following.wanted, "live-source", false, "measure instead a standby that follows a production cluster")
	f.IntVar(&o.following.objects, "live-objects", 5000, "objects of --live-source")
	f.IntVar(&o.following.changes, "live-changes", 1200, "changes of --live-source, each of another object")
	f.IntVar(&o.following.rate, "live-rate", 20, "changes a second of --live-source")
	f.BoolVar(&o.plan, "plan", false, "measure instead accord plan in a pipeline, without and with a cache")
	f.IntVar(&o.planning.objects, "plan-objects", 50000, "objects of the repository that is planned with a cache")
	f.IntVar(&o.planning.rounds, "plan-rounds", 3, "runs of each plan, of which the median is taken")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.planning.accord = o.accord
	if o.planning.objects < planFiles*6 || o.planning.rounds < 1 {
		return o, fmt.Errorf("--plan needs at least %d objects and 1 round", planFiles*6)
	}
	o.growing.pushes, o.growing.directories, o.growing.rest, o.growing.accord = o.pushes, o.directories, o.scale.rest, o.accord
	if o.searching.pods < searchClusters || o.searching.changes < 1 {
		return o, fmt.Errorf("--search needs at least %d pods and 1 change", searchClusters)
	}
	o.following.accord, o.following.profiles = o.accord, o.profiles
	if o.following.objects < 6 || o.following.rate < 1 || o.following.changes < 1 || o.following.changes > o.following.objects {
		return o, fmt.Errorf("--live-source needs at least 6 objects and 1 change, a change a second, and no more changes than objects")
	}
	if o.growing.objects < 12 || o.growing.members < 0 {
		return o, fmt.Errorf("--grow needs at least 12 objects")
	}
	if o.scale.members < 0 || o.agents < 0 || o.agentProcesses < 0 || o.scale.objects < 6 || o.scale.rest <= 0 {
		return o, fmt.Errorf("at least 6 objects on a member, and some time at rest")
	}
	if o.faults && o.members <= len(faults()) {
		return o, fmt.Errorf("more than %d members, because so many do not work", len(faults()))
	}
	if o.members < 1 || o.objects < 6 || o.pushes < 1 || o.directories < 0 || o.statusMembers < 0 {
		return o, fmt.Errorf("at least 1 member, 6 objects and 1 push")
	}
	return o, nil
}
