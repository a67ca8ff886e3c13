package cluster

import "time"

// Figures are the metrics of a Reader.
type Figures struct {
	// Objects are those of the snapshot to come, by their kinds ("Deployment.apps").
	Objects map[string]int
	// Unread is set while the cluster cannot be read.
	Unread bool
	// Listed is the time since which every kind was completely listed; zero before the first lists have ended.
	Listed time.Time
	// Read is the time at which the cluster was last known to have the objects of the last snapshot; zero without one.
	Read time.Time
}

// Figures returns the metrics of the Reader.
func (r *Reader) Figures(now time.Time) Figures {
	_, seen, _ := r.History.Last(r.Selected)
	r.mu.Lock()
	defer r.mu.Unlock()
	f := Figures{Objects: map[string]int{}, Unread: r.unreadLocked() != nil, Read: seen}
	for of, k := range r.kinds {
		f.Objects[of.kind.GroupKind().String()] += len(k.names)
		if f.Listed.IsZero() || k.listed.Before(f.Listed) {
			f.Listed = k.listed
		}
	}
	if !f.Unread && r.wholeLocked() && r.window.changes == 0 && r.latest.FS != nil {
		f.Read = now
	}
	return f
}
