package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// figure names a measured number that may have a bar. A ratio is ours divided by the floor, where no other unit is named.
type figure string

const (
	coldRatio      figure = "cold, ratio"
	coldCPU        figure = "cold, ms of CPU per object placed"
	coldHubWrites  figure = "cold, writes at the hub per object"
	singleRatio    figure = "one object changed, ratio"
	singleCPU      figure = "one object changed, ms of CPU per push"
	singleWrites   figure = "one object changed, writes per object and member"
	overrideRatio  figure = "override, ratio"
	overrideWrites figure = "override, writes per object and member"
	busyRatio      figure = "one object changed during an override, ratio to a quiet one"
	statusRatio    figure = "image until observedGeneration, ratio"
	idleRequests   figure = "requests with nothing to do"
	restartWrites  figure = "writes of a restart"
	restMemory     figure = "resident MB at rest"
	faultRatio     figure = "p99 beside members that do not work, ratio"
	scaleRatio     figure = "many members, all applied, ratio"
	scaleReady     figure = "many members, Ready, ratio to applied"
	scaleChange    figure = "many members, seconds until one change is everywhere"
	agentChange    figure = "agents, seconds until one change is on 99 % of the members"
	agentMemory    figure = "agents, KiB of the hub per agent"
	agentCPU       figure = "agents, ms of CPU of the hub per agent and minute at rest"
	agentRestart   figure = "agents, seconds after a restart of the hub"
	agentRewrites  figure = "agents, writes of a restart of the hub"
	planWhole      figure = "accord plan, seconds for every object"
	searchMemory   figure = "memory of caches, ratio to informers"
	searchList     figure = "list of all clusters, ratio to one cluster"
	searchWatch    figure = "watch of all clusters, p99 behind direct watches, ms"
	liveMedian     figure = "live source, ms until a change is on the standby, p50"
	liveMost       figure = "live source, ms until a change is on the standby, p99"
	liveProduction figure = "live source, writes at production"
	planChange     figure = "accord plan, seconds for ten files with a warm cache"
)

// bar is the most that a figure may be with so many objects on so many members; 0 for any number.
type bar struct {
	figure           figure
	objects, members int
	most             float64
	unit             string
}

// bars returns all bars. No other place has one.
func bars() []bar {
	return []bar{
		{coldRatio, 600, 10, 1.15, "x"},
		{coldRatio, 6000, 2, 1.2, "x"},
		{coldCPU, 600, 10, 0.6, "ms"},
		{coldCPU, 6000, 2, 0.8, "ms"},
		{coldHubWrites, 0, 0, 1.2, ""},
		{singleRatio, 600, 10, 2, "x"},
		{singleRatio, 6000, 2, 2.5, "x"},
		{singleRatio, 60000, 1, 4, "x"},
		{singleCPU, 600, 10, 40, "ms"},
		{singleCPU, 6000, 2, 45, "ms"},
		{singleWrites, 0, 0, 1, ""},
		{overrideRatio, 600, 10, 1.1, "x"},
		{overrideWrites, 0, 0, 1, ""},
		{busyRatio, 600, 10, 2, "x"},
		{statusRatio, 600, 10, 1.5, "x"},
		{idleRequests, 0, 0, 0, ""},
		{restartWrites, 0, 0, 0, ""},
		{restMemory, 600, 10, 110, "MB"},
		{restMemory, 6000, 2, 180, "MB"},
		{faultRatio, 0, 0, 1.05, "x"},
		{scaleRatio, 100, 1000, 1.5, "x"},
		{scaleReady, 100, 1000, 1.1, "x"},
		{scaleChange, 100, 1000, 1.5, "s"},
		{agentChange, 0, 1000, 2, "s"},
		{agentMemory, 0, 1000, 100, "KiB"},
		{agentCPU, 0, 1000, 5, "ms"},
		{agentRestart, 0, 1000, 30, "s"},
		{agentRewrites, 0, 0, 0, ""},
		{planWhole, 1000, 100, 1, "s"},
		{planChange, 50000, 0, 2, "s"},
		{searchMemory, 10000, 10, 1.3, "x"},
		{searchList, 10000, 10, 1.5, "x"},
		{searchWatch, 0, 10, 50, "ms"},
		{liveMedian, 5000, 1, 400, "ms"},
		{liveMost, 5000, 1, 2000, "ms"},
		{liveProduction, 0, 1, 0, ""},
	}
}

// barOf returns the bar of a figure; false if it has none for this size.
func barOf(of figure, objects, members int) (bar, bool) {
	all := bars()
	i := slices.IndexFunc(all, func(b bar) bool {
		return b.figure == of && (b.objects == 0 || b.objects == objects) && (b.members == 0 || b.members == members)
	})
	if i < 0 {
		return bar{}, false
	}
	return all[i], true
}

func (b bar) String() string { return strings.TrimSpace(fmt.Sprintf("%g %s", b.most, b.unit)) }

// mark returns "ok" or "MISSED". A figure counts with the two digits after the point that a table shows.
func (b bar) mark(value float64) string {
	if value-b.most < 0.005 {
		return "ok"
	}
	return "MISSED"
}

// row is one line of a table of figures.
type row struct {
	what, floor, ours, ratio string

	// figure is empty for a line without a bar. value is in the unit of the bar.
	figure figure
	value  float64
}

// verdict returns the bar of a row and its mark; both are empty without a bar for this size.
func (r row) verdict(objects, members int) (most, mark string) {
	b, has := barOf(r.figure, objects, members)
	if !has {
		return "", ""
	}
	return b.String(), b.mark(r.value)
}

// printRows prints figures of one size, each beside its bar.
func printRows(w io.Writer, rows []row, objects, members int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FIGURE\tFLOOR\tOURS\tRATIO\tBAR\t")
	missed, held := 0, 0
	for _, r := range rows {
		most, mark := r.verdict(objects, members)
		switch mark {
		case "ok":
			held++
		case "MISSED":
			missed++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.floor, r.ours, r.ratio, most, mark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d of %d bars missed\n", missed, missed+held)
	return err
}
