package search

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/search"
)

const (
	// watchTime is the shortest time after which a watch ends whose client names none, as on API servers.
	watchTime = 30 * time.Minute
	// writeTime bounds the time in which a client has to take an event.
	writeTime = 30 * time.Second
	// settleTime bounds the wait for clusters that do not answer, before a watch begins and names them.
	settleTime = 4 * time.Second
)

// answerWatch sends the events of all clusters.
func (s *Server) answerWatch(w http.ResponseWriter, r *http.Request, a *asked, as form) {
	o, err := optionsOf(r.URL.Query())
	var v view
	if err == nil {
		v, err = s.viewOf(r.Context(), a)
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	if o.timeout == 0 {
		o.timeout = watchTime + rand.N(watchTime)
	}
	ctx, cancel := context.WithTimeout(r.Context(), o.timeout)
	defer cancel()
	if o.initial {
		o.from = nil
	}
	settling, settled := context.WithTimeout(ctx, settleTime)
	v.settle(settling, nil) // for the warnings only
	settled()
	warnAbout(w, v)
	w.Header().Set("Content-Type", "application/json")
	e := &eventWriter{to: w, control: http.NewResponseController(w), form: as, server: s, asked: a, query: r}
	if err := e.control.Flush(); err != nil {
		return
	}
	err = (&search.Watch{
		Set: s.Caches, Kind: a.kind, Selector: o.selector(a), From: o.from, Bookmarks: o.bookmarks, Initial: o.initial && o.bookmarks,
		Allow: func(ctx context.Context, cluster string) error { return s.may(ctx, cluster, a) },
	}).Run(ctx, e.write)
	if known := apierrors.APIStatus(nil); errors.As(err, &known) {
		_ = e.error(known.Status()) // the client may be gone
	}
}

// eventWriter writes the events of a watch.
type eventWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
	form    form
	server  *Server
	asked   *asked
	query   *http.Request
	text    []byte
}

func (e *eventWriter) write(event search.Event) error {
	text := append(append(append(e.text[:0], `{"type":"`...), event.Type...), `","object":`...)
	switch {
	case event.Object == nil:
		text = e.bookmark(text, event)
	case e.form == asTable:
		row, err := e.server.tables.encode(e.asked.kind, []*search.Object{event.Object}, func(*search.Object) string { return event.Version },
			metav1.ListMeta{ResourceVersion: event.Version}, e.query.URL.Query())
		if err != nil {
			return err
		}
		text = append(text, row...)
	case e.form == onlyMetadata:
		text = event.Object.AppendMetadata(text, event.Version)
	default:
		text = event.Object.AppendJSON(text, event.Version)
	}
	e.text = append(text, "}\n"...)
	return e.send(e.text)
}

func (e *eventWriter) bookmark(text []byte, event search.Event) []byte {
	kind, version := e.asked.kind.Kind, e.asked.kind.GroupVersion().String()
	switch e.form {
	case asTable:
		text = append(text, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":null,"metadata":{"resourceVersion":"`+event.Version+`"},"rows":[{"cells":[],"object":`...)
		kind, version = "PartialObjectMetadata", "meta.k8s.io/v1"
	case onlyMetadata:
		kind, version = "PartialObjectMetadata", "meta.k8s.io/v1"
	}
	text = append(text, `{"kind":`+strconv.Quote(kind)+`,"apiVersion":`+strconv.Quote(version)+`,"metadata":{"resourceVersion":"`+event.Version+`"`...)
	if event.Initial {
		text = append(text, `,"annotations":{"`+metav1.InitialEventsAnnotationKey+`":"true"}`...)
	}
	text = append(text, `}}`...)
	if e.form == asTable {
		text = append(text, `}]}`...)
	}
	return text
}

func (e *eventWriter) error(status metav1.Status) error {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	text, err := json.Marshal(map[string]any{"type": "ERROR", "object": status})
	if err != nil {
		return err
	}
	return e.send(append(text, '\n'))
}

// send writes an event. A client that does not take it in time loses the watch, and continues behind the last event that it has.
func (e *eventWriter) send(text []byte) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTime)) // HTTP/1.1 and 2 have deadlines
	if _, err := e.to.Write(text); err != nil {
		return err
	}
	return e.control.Flush()
}
