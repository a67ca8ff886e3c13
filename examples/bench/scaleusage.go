package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
)

// usage holds the resources that accord has at a moment.
type usage struct {
	heap        int64 // bytes in use after a garbage collection
	stacks      int64 // bytes of goroutine stacks
	resident    int64 // bytes, garbage included
	hub         int64 // resident bytes of the hub
	goroutines  int
	connections int // of accord with members
	watches     int // at the members
}

// effort holds the CPU time and the requests of a period.
type effort struct {
	cpu, hubCPU time.Duration
	members     requests // at the members, about objects
	others      int      // at the members, for the version and discovery
	hub         requests
}

// seen holds the counts that the members report of themselves.
type seen struct {
	objects map[string]int // by namespace
	watches int
	others  int
	written time.Time // when an object changed last
}

// look asks one member, which speaks for all.
func (r *scaleRound) look(ctx context.Context) (seen, error) {
	s := seen{objects: map[string]int{}}
	for name, config := range r.members.configs {
		c, err := discovery.NewDiscoveryClientForConfig(config)
		if err != nil {
			return s, fmt.Errorf("metrics of %s: %w", name, err)
		}
		text, err := c.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
		if err != nil {
			return s, fmt.Errorf("metrics of %s: %w", name, err)
		}
		return s, s.read(text)
	}
	return s, nil
}

func (s *seen) read(text []byte) error {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	for _, m := range families["memberserver_objects"].GetMetric() {
		for _, label := range m.GetLabel() {
			if label.GetName() == "namespace" {
				s.objects[label.GetValue()] += int(m.GetGauge().GetValue())
			}
		}
	}
	for _, m := range families["apiserver_longrunning_requests"].GetMetric() {
		s.watches += int(m.GetGauge().GetValue())
	}
	for _, m := range families["memberserver_other_requests_total"].GetMetric() {
		s.others += int(m.GetCounter().GetValue())
	}
	for _, m := range families["memberserver_last_write_timestamp_seconds"].GetMetric() {
		s.written = time.UnixMicro(int64(m.GetGauge().GetValue() * 1e6))
	}
	return nil
}

// spent returns the effort of happen.
func (r *scaleRound) spent(ctx context.Context, happen func() error) (effort, error) {
	before, err := r.total(ctx)
	if err != nil {
		return effort{}, err
	}
	if err := happen(); err != nil {
		return effort{}, err
	}
	after, err := r.total(ctx)
	return effort{
		cpu: after.cpu - before.cpu, hubCPU: after.hubCPU - before.hubCPU, others: after.others - before.others,
		members: after.members.since(before.members), hub: after.hub.since(before.hub),
	}, err
}

// total is all since the start.
func (r *scaleRound) total(ctx context.Context) (e effort, err error) {
	if e.cpu, err = r.ours.process.cpu(); err != nil {
		return e, err
	}
	if e.hubCPU, err = r.hub.cpu(); err != nil {
		return e, err
	}
	if e.members, err = r.members.count(ctx); err != nil {
		return e, err
	}
	now, err := r.look(ctx)
	if err != nil {
		return e, err
	}
	e.others = now.others
	e.hub, err = r.hub.count(ctx)
	return e, err
}

// usage now. Garbage is collected first, twice, because the first time only makes pools ready to be let go of.
func (r *scaleRound) usage(ctx context.Context) (usage, error) {
	var u usage
	var err error
	for range 2 {
		text, err := r.ours.ask(ctx, "heap?gc=1&debug=1")
		if err != nil {
			return u, err
		}
		u.heap, u.stacks = runtimeFigure(text, "HeapAlloc"), runtimeFigure(text, "Stack")
	}
	text, err := r.ours.ask(ctx, "goroutine?debug=1")
	if err != nil {
		return u, err
	}
	if m := regexp.MustCompile(`^goroutine profile: total (\d+)`).FindSubmatch(text); m != nil {
		u.goroutines, _ = strconv.Atoi(string(m[1])) // only digits match
	}
	if u.resident, err = r.ours.process.memory("VmRSS"); err != nil {
		return u, err
	}
	if u.hub, err = r.hub.memory("VmRSS"); err != nil {
		return u, err
	}
	now, err := r.look(ctx)
	if err != nil {
		return u, err
	}
	u.watches = now.watches
	u.connections, err = r.ours.process.connections(r.members.configs)
	return u, err
}

// runtimeFigure is one of runtime.MemStats, as a heap profile has them in its end. Stack is "in use / from the system".
func runtimeFigure(profile []byte, name string) int64 {
	m := regexp.MustCompile(`(?m)^# ` + name + ` = (\d+)`).FindSubmatch(profile)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64) // only digits match
	return n
}

// profile takes one of the CPU while something goes on, if profiles are kept; done waits for it.
func (r *scaleRound) profile(ctx context.Context, name string, lasts time.Duration) (done func() error) {
	if r.profiles == "" {
		return func() error { return nil }
	}
	result := make(chan error, 1)
	go func() {
		text, err := r.ours.ask(ctx, fmt.Sprintf("profile?seconds=%d", max(1, int(lasts.Seconds()))))
		if err == nil {
			err = r.store(name+".cpu", text)
		}
		result <- err
	}()
	return func() error { return <-result }
}

// keep heap and goroutines, if profiles are kept.
func (r *scaleRound) keep(ctx context.Context, name string) error {
	if r.profiles == "" {
		return nil
	}
	for what, query := range map[string]string{"heap": "heap?gc=1", "goroutines": "goroutine?debug=1"} {
		text, err := r.ours.ask(ctx, query)
		if err != nil {
			return err
		}
		if err := r.store(name+"."+what, text); err != nil {
			return err
		}
	}
	return nil
}

func (r *scaleRound) store(name string, text []byte) error {
	path := filepath.Join(r.profiles, fmt.Sprintf("%04d-%s", r.figures.members, name))
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("keeping a profile: %w", err)
	}
	return nil
}

// poll until something is so, accord ends or ctx does.
func (r *scaleRound) poll(ctx context.Context, pause time.Duration, done wait.ConditionWithContextFunc) error {
	err := wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		select {
		case <-r.ours.process.ended:
			return false, fmt.Errorf("it ended")
		default:
			return done(ctx)
		}
	})
	if err != nil {
		return r.ours.process.complain(err)
	}
	return nil
}

// calm returns when nothing was written for two seconds but what is written at rest, too: that a cluster was heard of.
func (r *scaleRound) calm(ctx context.Context) error {
	before, err := r.work(ctx)
	if err != nil {
		return err
	}
	return r.poll(ctx, 2*time.Second, func(ctx context.Context) (bool, error) {
		now, err := r.work(ctx)
		rests := now == before
		before = now
		return rests, err
	})
}

// work returns the number of writes to the hub and to the members.
func (r *scaleRound) work(ctx context.Context) (int, error) {
	hub, err := r.hub.count(ctx)
	if err != nil {
		return 0, err
	}
	for _, verb := range writes {
		delete(hub, verb+" clusters")
	}
	members, err := r.members.count(ctx)
	return hub.changing() + members.changing(), err
}
