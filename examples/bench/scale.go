package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// scaling holds the options of the measurement of many members.
type scaling struct {
	members  int           // at most; also a third and a tenth of them
	objects  int           // on each
	rest     time.Duration // how long it is watched doing nothing
	accord   string        // absent: built from this repository
	profiles string        // directory; absent: none are kept
	decades  bool          // measure a tenth and a hundredth of the members instead
}

// sizes returns the number of members of each round.
func (s scaling) sizes() []int {
	if s.decades {
		return decades(s.members, 1)
	}
	return slices.Compact([]int{max(1, s.members/10), max(1, s.members*3/10), s.members})
}

// runScale measures accord with more and more members, each time from nothing: the hub is a real one, the members are the
// small API servers of package memberserver, all in one process. After an error the figures are those of the rounds before.
func runScale(ctx context.Context, s scaling, progress io.Writer) (*scaleFigures, error) {
	dir, err := os.MkdirTemp("", "accord-scale-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	say := func(format string, args ...any) {
		fmt.Fprintf(progress, time.Now().Format("15:04:05 ")+format+"\n", args...)
	}
	say("building (the first time this compiles Kubernetes, which takes minutes)")
	programs := filepath.Join(dir, "bin")
	packages := []string{"members"}
	if s.accord == "" {
		packages = append(packages, "accord")
		s.accord = filepath.Join(programs, "accord")
	}
	if err := build(ctx, programs, packages...); err != nil {
		return nil, err
	}
	if s.profiles != "" {
		if err := os.MkdirAll(s.profiles, 0o755); err != nil {
			return nil, fmt.Errorf("keeping profiles: %w", err)
		}
	}
	figures := &scaleFigures{scaling: s}
	for _, members := range s.sizes() {
		at := filepath.Join(dir, strconv.Itoa(members))
		if err := os.Mkdir(at, 0o700); err != nil {
			return figures, err
		}
		r := &scaleRound{scaling: s, dir: at, say: say, figures: scalePoint{members: members, objects: s.objects}}
		if err := r.run(ctx, filepath.Join(programs, "members")); err != nil {
			return figures, fmt.Errorf("%d members: %w", members, err)
		}
		figures.points = append(figures.points, r.figures)
	}
	return figures, nil
}
