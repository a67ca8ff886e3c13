package memberserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// bookmarkEvery is the interval of bookmarks on an idle watch.
	bookmarkEvery = time.Minute
	// watchFor is the least duration of a watch without a timeout of its client; the longest is twice that.
	watchFor = 30 * time.Minute
)

// watching is one watch under way.
type watching struct {
	*call
	options  metav1.ListOptions
	selected selection
	out      http.ResponseWriter
	version  uint64 // of the last change that was sent
	frames   bytes.Buffer
}

// watch sends changes until the client closes the connection or the watch times out.
func (c *call) watch(w http.ResponseWriter) error {
	o, selected, err := c.options()
	if err != nil {
		return err
	}
	initial, err := wantsInitial(o)
	if err != nil {
		return err
	}
	open := c.server.host.counts.watches.WithLabelValues("WATCH", c.resource.Group, c.resource.Resource)
	open.Inc()
	defer open.Dec()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	v := &watching{call: c, options: o, selected: selected, out: w}
	if err = v.begin(initial); err == nil {
		err = v.follow()
	}
	if err != nil {
		v.fail(err)
	}
	return nil
}

// wantsInitial reports whether the watch begins with the existing objects.
func wantsInitial(o metav1.ListOptions) (bool, error) {
	if o.SendInitialEvents == nil {
		return o.ResourceVersion == "" || o.ResourceVersion == "0", nil
	}
	if o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan {
		return false, apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind("ListOptions").GroupKind(), "", field.ErrorList{
			field.Forbidden(field.NewPath("resourceVersionMatch"), "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
		})
	}
	return *o.SendInitialEvents, nil
}

// begin sends the existing objects and their version if the client wants them.
func (v *watching) begin(initial bool) error {
	if !initial {
		version, err := strconv.ParseUint(v.options.ResourceVersion, 10, 64)
		if err != nil {
			return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version %q", v.options.ResourceVersion))
		}
		if v.version = version; version > 0 {
			return v.flush()
		}
		v.version, _ = v.server.store.now() // any version will do
		return v.flush()
	}
	all, version, err := v.server.store.at(v.resource, 0)
	if err != nil {
		return err
	}
	for _, r := range all {
		if v.selected.has(r) {
			v.frame("ADDED", r.sent(v.partial))
		}
	}
	v.version = version
	if v.options.SendInitialEvents != nil && v.options.AllowWatchBookmarks {
		v.bookmark(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return v.flush()
}

// follow sends changes as they occur.
func (v *watching) follow() error {
	lasts := watchFor + rand.N(watchFor)
	if v.options.TimeoutSeconds != nil {
		lasts = time.Duration(*v.options.TimeoutSeconds) * time.Second
	}
	end := time.NewTimer(lasts)
	defer end.Stop()
	quiet := time.NewTimer(bookmarkEvery)
	defer quiet.Stop()
	for {
		changes, now, changed, err := v.server.store.since(v.resource, v.version)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if err := v.send(c); err != nil {
				return err
			}
		}
		v.version = now
		if err := v.flush(); err != nil {
			return nil // the client closed the connection
		}
		select {
		case <-changed:
		case <-quiet.C:
			quiet.Reset(bookmarkEvery)
			if v.options.AllowWatchBookmarks {
				v.bookmark(nil)
			}
		case <-end.C:
			return nil
		case <-v.request.Context().Done():
			return nil
		}
	}
}

// send sends a change from the view of the selection: an object that begins to match is added, and an object that no longer
// matches is deleted, shown in its last matching state.
func (v *watching) send(c change) error {
	was, is := v.selected.has(c.before), v.selected.has(c.now) && !c.gone
	switch {
	case was && is:
		v.frame("MODIFIED", c.now.sent(v.partial))
	case is:
		v.frame("ADDED", c.now.sent(v.partial))
	case was && c.gone:
		v.frame("DELETED", c.now.sent(v.partial))
	case was:
		u, err := c.before.object()
		if err != nil {
			return err
		}
		last, err := newRecord(u, c.now.version)
		if err != nil {
			return err
		}
		v.frame("DELETED", last.sent(v.partial))
	}
	return nil
}

func (v *watching) frame(event string, object []byte) {
	fmt.Fprintf(&v.frames, `{"type":%q,"object":%s}`+"\n", event, object)
}

// bookmark sends the version up to which all changes were sent.
func (v *watching) bookmark(annotations map[string]string) {
	kind, version := v.resource.kind.Kind, v.resource.GroupVersion().String()
	if v.partial {
		kind, version = "PartialObjectMetadata", "meta.k8s.io/v1"
	}
	text, err := json.Marshal(metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: kind, APIVersion: version},
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.FormatUint(v.version, 10), Annotations: annotations},
	})
	if err != nil {
		panic(err) // strings always encode
	}
	v.frame("BOOKMARK", text)
}

// fail ends the watch with a Status.
func (v *watching) fail(err error) {
	text, err := json.Marshal(statusOf(err))
	if err != nil {
		panic(err) // strings always encode
	}
	v.frame("ERROR", text)
	_ = v.flush() // the watch ends here
}

// flush sends the frames. The first call may have none: it sends the headers.
func (v *watching) flush() error {
	_, err := v.out.Write(v.frames.Bytes())
	v.frames.Reset()
	if v.frames.Cap() > 4<<10 {
		v.frames = bytes.Buffer{} // an idle watch needs little memory
	}
	return cmp.Or(err, http.NewResponseController(v.out).Flush())
}
