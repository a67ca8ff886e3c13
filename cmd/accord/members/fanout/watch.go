package fanout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/accord-dev/accord/cmd/accord/members/merge"
)

// pause is the time before a watch that ended is begun again.
const pause = time.Second

// watch answers with the events of all servers. A server that ends its watch, as servers do after some time, is watched again from the last
// event on. One that fails is reported, and the others go on.
func (t *transport) watch(req *http.Request) (*http.Response, error) {
	version, err := merge.DecodeVersions(req.URL.Query().Get("resourceVersion"))
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(req.Context())
	streams, results := make([]*stream, len(t.fleet.servers)), make([]result, len(t.fleet.servers))
	t.each(func(i int, s Server) {
		streams[i] = &stream{transport: t, req: req, server: s, version: version(s.Name)}
		results[i] = result{server: s, err: streams[i].open(ctx)}
	})
	var running sync.WaitGroup
	reader, writer := io.Pipe()
	out := &frames{to: writer, events: merge.Events{Tables: merge.Tables{Pods: resource(req) == "pods"}}}
	watched := 0
	for i, s := range streams {
		if results[i].err == nil {
			watched++
			running.Go(func() { s.copy(ctx, out) })
		}
	}
	if refused := t.judge(results, watched > 0); refused != nil {
		end()
		return answer(req, refused), nil
	}
	for _, r := range results {
		if r.err != nil && t.fleet.warn != nil {
			t.fleet.warn(Failure{r.server.Name, r.err})
		}
	}
	go func() { running.Wait(); _ = writer.Close() }() // ends with ctx
	return respond(req, http.StatusOK, &body{reader, end}), nil
}

// body ends the watches when the client closes it.
type body struct {
	*io.PipeReader
	end context.CancelFunc
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.end()
	return b.PipeReader.Close()
}

// frames writes the merged events.
type frames struct {
	mu     sync.Mutex
	to     io.Writer
	events merge.Events
}

func (f *frames) write(from merge.Source, frame []byte) (version string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent, version, err := f.events.Next(from, frame)
	if err == nil && sent != nil {
		_, err = f.to.Write(sent)
	}
	return version, err
}

// stream is the watch of one server.
type stream struct {
	*transport
	req     *http.Request
	server  Server
	version string
	body    io.ReadCloser
}

// open begins the watch at the version.
func (s *stream) open(ctx context.Context) error {
	query := s.req.URL.Query()
	query.Set("resourceVersion", s.version)
	ctx, end := context.WithCancelCause(ctx)
	late := time.AfterFunc(s.server.Limit, func() { end(fmt.Errorf("no answer within %s", s.server.Limit)) })
	resp, err := s.next.RoundTrip(s.to(ctx, s.req, s.server, query.Encode()))
	if !late.Stop() && err == nil {
		err = resp.Body.Close()
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		end(err)
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		end(err)
		return errors.Join(err, statusError(resp, text))
	}
	s.body = &closing{resp.Body, end}
	return nil
}

// closing ends the context of a response with its body.
type closing struct {
	io.ReadCloser
	end context.CancelCauseFunc
}

// Close implements io.Closer.
func (c *closing) Close() error {
	defer c.end(nil)
	return c.ReadCloser.Close()
}

// copy copies the events until the context ends or the server fails.
func (s *stream) copy(ctx context.Context, out *frames) {
	for {
		err := s.copyOnce(out)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			if err = s.open(ctx); err == nil {
				continue
			}
		}
		if ctx.Err() == nil {
			failure := Failure{s.server.Name, fmt.Errorf("the watch ended: %w", err)}
			s.fleet.fail(failure)
			if s.fleet.warn != nil {
				s.fleet.warn(failure)
			}
		}
		return
	}
}

// copyOnce copies the events of one response.
func (s *stream) copyOnce(out *frames) error {
	defer s.body.Close()
	for decoder := json.NewDecoder(s.body); ; {
		var frame json.RawMessage
		if err := decoder.Decode(&frame); err != nil {
			return err
		}
		version, err := out.write(s.server.Source, frame)
		if err != nil {
			return err
		}
		if version != "" {
			s.version = version
		}
	}
}
