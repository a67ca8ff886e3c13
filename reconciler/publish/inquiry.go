package publish

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/state"
)

const (
	// inquirers bounds the agents that are asked at once, and inquiryTime the time that one of them takes.
	inquirers   = 64
	inquiryTime = 30 * time.Second
)

// OnDiscovered sets the function that has a Federation planned again: an agent has reported objects that its plan does not know. It must
// not block.
func (p *Publisher) OnDiscovered(replan func(federation types.NamespacedName)) { p.replan = replan }

// Inquire has the agent of a cluster asked for its objects of the Federations that have no record of the cluster. It does not block.
func (p *Publisher) Inquire(cluster string) {
	if p.store != nil && p.registry.HasAgent(cluster) {
		p.inquiries.Add(cluster)
	}
}

// inquire asks the agent of a cluster, and waits for the answer. An agent that is away is asked when it is back.
func (p *Publisher) inquire(ctx context.Context, cluster string) error {
	open := p.unrecorded(cluster)
	if len(open) == 0 || p.registry.Reachability(cluster, time.Now()).Unreachable != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, inquiryTime)
	defer cancel()
	id := rand.Text()
	answer, end := p.store.Await(cluster, id)
	defer end()
	p.setInquiry(cluster, &bundle.Inquiry{ID: id, ApplySets: slices.Sorted(maps.Keys(open))})
	defer p.setInquiry(cluster, nil)
	text, why := p.await(ctx, cluster, answer)
	if why != "" {
		return errors.New(why)
	}
	var got bundle.Inventories
	err := json.Unmarshal(text, &got)
	if err != nil {
		return fmt.Errorf("reading the answer of the agent: %w", err)
	}
	for applySet, f := range open {
		if objects, known := got.Objects[applySet]; !known {
			err = fmt.Errorf("it answers: %s", cut(got.Error))
		} else if f.Learn(cluster, objects) {
			p.replan(f.Key())
		}
	}
	return err
}

// unrecorded returns the Federations that have no record of a cluster, by ApplySet.
func (p *Publisher) unrecorded(cluster string) map[string]*state.Federation {
	open := map[string]*state.Federation{}
	for _, f := range p.registry.Federations() {
		if f.Unrecorded(cluster) {
			open[applyset.ID(f.Key().String())] = f
		}
	}
	return open
}

// setInquiry adds an inquiry to the bundle of a cluster; nil removes it.
func (p *Publisher) setInquiry(cluster string, i *bundle.Inquiry) {
	p.mu.Lock()
	if i != nil {
		p.asked[cluster] = i
	} else {
		delete(p.asked, cluster)
	}
	p.mu.Unlock()
	p.queue.Add(cluster)
}

// inquiry returns the open inquiry of a cluster; nil without one.
func (p *Publisher) inquiry(cluster string) *bundle.Inquiry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[cluster]
}

// await waits for the answer of an agent until ctx ends. why is set if there is none.
func (p *Publisher) await(ctx context.Context, cluster string, answer <-chan []byte) (text []byte, why string) {
	poll := time.NewTicker(absencePoll)
	defer poll.Stop()
	for {
		select {
		case text := <-answer:
			return text, ""
		case <-ctx.Done():
			return nil, "its agent did not answer in time"
		case <-poll.C:
			if why := p.registry.Reachability(cluster, time.Now()).Unreachable; why != "" {
				return nil, why
			}
		}
	}
}
