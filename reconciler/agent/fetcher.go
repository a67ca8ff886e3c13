package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// requestTime bounds a request beside the time that it waits.
	requestTime = 30 * time.Second
	// maxIndex bounds an index: 100,000 objects take about 30 MiB. maxContents bounds the objects of one answer.
	maxIndex    = 256 << 20
	maxContents = delivery.MaxDigests * 4 << 20
)

// fetcher reads the bundle of one cluster.
type fetcher struct {
	http  *http.Client
	base  *url.URL // of the Bundle
	lease time.Duration
	// onCluster gets the resourceVersion of the Cluster, as the hub sends it with each answer; nil: nobody wants it.
	onCluster func(version uint64)
	report    pace
}

// newFetcher returns a fetcher whose requests have the agent count as alive for the time of a lease.
func newFetcher(cfg *rest.Config, cluster string, lease time.Duration) (*fetcher, error) {
	cfg = rest.CopyConfig(cfg)
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	return &fetcher{http: client, lease: lease, base: server.JoinPath("apis", delivery.GroupVersion.Group, delivery.GroupVersion.Version, delivery.Bundles, cluster)}, nil
}

// index returns the index and its ETag as soon as it is another one than that of etag; nil if that is not so for some time. It returns the
// new objects, too, if the hub sends them.
func (f *fetcher) index(ctx context.Context, etag string, wait time.Duration) (index *bundle.Index, added bundle.Contents, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait+requestTime)
	defer cancel()
	at := f.base.JoinPath(delivery.Index)
	query := url.Values{delivery.LeaseParameter: {f.lease.String()}}
	if etag != "" {
		query.Set("wait", wait.String())
		query.Set("objects", "new")
	}
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, nil, "", err
	}
	if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	answer, err := f.http.Do(request)
	if err != nil {
		return nil, nil, "", err
	}
	defer discard(answer.Body)
	if version := live.ParseVersion(answer.Header.Get(delivery.ClusterVersion)); version > 0 && f.onCluster != nil {
		f.onCluster(version)
	}
	switch answer.StatusCode {
	case http.StatusNotModified:
		return nil, nil, etag, nil
	case http.StatusOK:
	default:
		return nil, nil, "", refusal(answer)
	}
	f.report.spread(answer.Header.Get(delivery.ReportWithin))
	texts := json.NewDecoder(io.LimitReader(answer.Body, maxIndex))
	index, added = &bundle.Index{}, bundle.Contents{}
	if err := texts.Decode(index); err != nil {
		return nil, nil, "", fmt.Errorf("reading the index of the bundle: %w", err)
	}
	for {
		content, err := read(texts)
		switch {
		case errors.Is(err, io.EOF):
			return index, added, answer.Header.Get("ETag"), nil
		case err != nil:
			return nil, nil, "", fmt.Errorf("reading the new objects of the bundle: %w", err)
		}
		added[content.Digest] = content.Body
	}
}

// read reads a content, and compares it with its name.
func read(texts *json.Decoder) (content delivery.Content, err error) {
	if err := texts.Decode(&content); err != nil {
		return content, err
	}
	return content, bundle.Verify(content.Digest, content.Body)
}

// contents returns contents of the bundle, each compared with its name.
func (f *fetcher) contents(ctx context.Context, names []string) (bundle.Contents, error) {
	all := bundle.Contents{}
	for len(names) > 0 {
		n := min(len(names), delivery.MaxDigests)
		if err := f.some(ctx, names[:n], all); err != nil {
			return nil, fmt.Errorf("reading the objects of the bundle: %w", err)
		}
		names = names[n:]
	}
	return all, nil
}

func (f *fetcher) some(ctx context.Context, names []string, all bundle.Contents) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	body, err := json.Marshal(names)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base.JoinPath(delivery.Objects).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := f.http.Do(request)
	if err != nil {
		return err
	}
	defer discard(answer.Body)
	if answer.StatusCode != http.StatusOK {
		return refusal(answer)
	}
	lines := json.NewDecoder(io.LimitReader(answer.Body, maxContents))
	asked := map[string]bool{}
	for _, name := range names {
		asked[name] = true
	}
	for range names {
		content, err := read(lines)
		if err != nil {
			return err
		}
		if !asked[content.Digest] {
			return fmt.Errorf("the answer has the content %s, which was not asked for", content.Digest)
		}
		all[content.Digest] = content.Body
	}
	for _, name := range names {
		if all[name] == nil {
			return fmt.Errorf("the answer does not have the content %s", name)
		}
	}
	return nil
}

// answer sends the answer to a question. It reports whether the hub has no use for another attempt.
func (f *fetcher) answer(ctx context.Context, answered any) (taken bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	body, err := json.Marshal(answered)
	if err != nil {
		return true, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base.JoinPath(delivery.Answers).String(), bytes.NewReader(body))
	if err != nil {
		return true, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := f.http.Do(request)
	if err != nil {
		return false, err
	}
	defer discard(answer.Body)
	switch answer.StatusCode {
	case http.StatusNoContent, http.StatusNotFound: // nobody waits for it any more
		return true, nil
	}
	return false, refusal(answer)
}

// refusal returns the error of an answer, which is a Status of Kubernetes.
func refusal(answer *http.Response) error {
	var status metav1.Status
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	if json.Unmarshal(text, &status) != nil || status.Message == "" {
		return fmt.Errorf("the hub answers %s", answer.Status)
	}
	return errors.New(status.Message)
}

// discard reads the rest of an answer, so that its connection can be used again.
func discard(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
	_ = body.Close()
}
