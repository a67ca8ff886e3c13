package search

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// quietTime is the time after which a cluster that sent nothing is asked for a sign of life before its objects are shown.
	quietTime = 10 * time.Second
	// answerTime bounds the wait for it.
	answerTime = 3 * time.Second
	// silentTime is the time for which the lack of an answer counts.
	silentTime = 2 * time.Second
)

// errSilent is the reason of a cluster that does not give a sign of life in time.
var errSilent = errors.New("it gave no sign of life in " + answerTime.String())

// pulse knows when a cluster was heard last. A network that loses everything ends no connection for a while: caches of the cluster would
// seem to be current. It is safe for concurrent use.
type pulse struct {
	cluster string
	dial    Dial

	mu     sync.Mutex
	heard  time.Time
	failed time.Time // of the last attempt without an answer; zero after an answer
	err    error
	asking chan struct{} // closed when the attempt in progress ends; nil without one
}

// beat records that the cluster was heard.
func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard, p.failed, p.err = time.Now(), time.Time{}, nil
}

// fresh reports whether the cluster was heard a short time ago.
func (p *pulse) fresh() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.heard) < quietTime
}

// check returns an error if the cluster was not heard for some time, and does not answer now.
func (p *pulse) check(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case time.Since(p.heard) < quietTime:
			return nil
		case p.err != nil && time.Since(p.failed) < silentTime:
			return fmt.Errorf("its objects are those of %s: %w", p.heard.UTC().Format(time.RFC3339), p.err)
		case p.asking == nil:
			p.asking = make(chan struct{})
			go p.ask()
		}
		asking := p.asking
		p.mu.Unlock()
		select {
		case <-ctx.Done():
			p.mu.Lock()
			return ctx.Err()
		case <-asking:
			p.mu.Lock()
		}
	}
}

// ask requests the version of the cluster. Every answer is a sign of life.
func (p *pulse) ask() {
	ctx, cancel := context.WithTimeoutCause(context.Background(), answerTime, errSilent)
	defer cancel()
	err := p.request(ctx)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		p.beat()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.failed, p.err = time.Now(), err
	}
	close(p.asking)
	p.asking = nil
}

func (p *pulse) request(ctx context.Context) error {
	rt, err := p.dial(ctx, p.cluster)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://cluster/version", nil)
	if err != nil {
		return err
	}
	answer, err := rt.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusInternalServerError { // the way to the cluster answers, such as the hub's end of a tunnel
		return errors.New("the answer is " + http.StatusText(answer.StatusCode))
	}
	return nil
}
