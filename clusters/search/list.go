package search

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"
)

// Page is a part of a list of several clusters.
type Page struct {
	Objects []*Object
	// Version is the encoded resourceVersion of the list.
	Version string
	// Continue requests the next page; empty on the last page.
	Continue string
}

// settleTime bounds the time in which caches that have just started are waited for.
const settleTime = 10 * time.Second

// Settle waits until each cache was listed, or its cluster does not answer, and until the caches have reached a position of their
// clusters. It returns the clusters that were never listed, each with the reason, and those whose objects may be old: a cluster that was
// quiet for some time is asked for a sign of life.
func Settle(ctx context.Context, caches []*Cache, at Versions) (missing, stale map[string]error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	missing, stale = map[string]error{}, map[string]error{}
	var mu sync.Mutex // of stale
	var asking sync.WaitGroup
	for _, c := range caches {
		state := c.settled(ctx, at[c.Cluster])
		switch {
		case !state.Listed && state.Err == nil:
			missing[c.Cluster] = errors.New("accord has just begun to read it: try again")
		case !state.Listed:
			missing[c.Cluster] = state.Err
		case state.Err != nil:
			mu.Lock()
			stale[c.Cluster] = fmt.Errorf("its objects are those of %s: %w", state.Since.UTC().Format(time.RFC3339), state.Err)
			mu.Unlock()
		case !c.pulse.fresh():
			asking.Go(func() {
				if err := c.pulse.check(ctx); err != nil {
					mu.Lock()
					defer mu.Unlock()
					stale[c.Cluster] = err
				}
			})
		}
	}
	asking.Wait()
	return missing, stale
}

func (c *Cache) settled(ctx context.Context, version string) State {
	for {
		state, changed := c.State()
		if state.Err != nil || state.Listed && c.reached(version) {
			return state
		}
		if _, _, next := c.snapshot(); next == nil {
			return state
		} else if state.Listed { // changes arrive without a change of the state
			changed = next.known
		}
		select {
		case <-ctx.Done():
			return state
		case <-changed:
		}
	}
}

// List returns a page of the selected objects of caches that are in the order of their clusters: at most limit, or all with limit 0.
// Objects of a later page may be newer than the first page; a watch from the version of the list has every change since.
func List(caches []*Cache, s Selector, limit int64, next string) (Page, error) {
	var from continuation
	if next != "" {
		var err error
		if from, err = parseContinuation(next); err != nil {
			return Page{}, err
		}
	}
	versions := Versions{}
	var page Page
	more := false
	for _, c := range caches {
		objects, version, _ := c.snapshot()
		if version != "" {
			versions[c.Cluster] = version
		}
		if c.Cluster < from.Cluster || more {
			continue
		}
		if c.Cluster == from.Cluster {
			objects = objects[sort.Search(len(objects), func(i int) bool { return position(objects[i]) > from.After }):]
		}
		for _, o := range objects {
			if !s.Matches(o) {
				continue
			}
			if limit > 0 && int64(len(page.Objects)) == limit {
				more = true
				break
			}
			page.Objects = append(page.Objects, o)
		}
	}
	page.Version = versions.String()
	if from.Cluster != "" {
		page.Version = from.Versions
	}
	if more {
		last := page.Objects[len(page.Objects)-1]
		page.Continue = continuation{Versions: page.Version, Cluster: last.Cluster, After: position(last)}.String()
	}
	return page, nil
}

// position orders the objects of one cluster as their list does.
func position(o *Object) string { return o.Namespace + "\x00" + o.Name }

// Find returns the objects of a name, at most one for each cache.
func Find(caches []*Cache, namespace, name string) []*Object {
	var found []*Object
	for _, c := range caches {
		if o := c.get(namespace, name); o != nil {
			found = append(found, o)
		}
	}
	return found
}

// InCluster returns the encoded resourceVersion of one object.
func (o *Object) InCluster() string { return Versions{o.Cluster: o.Version}.String() }
