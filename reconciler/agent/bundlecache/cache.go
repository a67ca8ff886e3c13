// Package bundlecache keeps the last verified bundle of an agent, and its Cluster, in a directory: an agent that starts while the hub is
// away goes on from there. Bundles have the Secrets of the cluster, so nobody but the agent may read the files.
package bundlecache

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/bundle"
)

const (
	// folder is below the directory, whose own mode others choose.
	folder = "bundle"
	// indexFile and clusterFile have a digest, a line break, and JSON.
	indexFile, clusterFile = "index", "cluster"
	unfinished             = ".new"
	digestLength           = 64
)

// Cache is the directory. A nil Cache keeps nothing.
type Cache struct {
	dir string
	// kept are the names of the contents that have a file. Only one goroutine saves bundles.
	kept map[string]bool
}

// Open returns the cache in a directory, which it creates; nil for an empty name.
func Open(dir string) (*Cache, error) {
	if dir == "" {
		return nil, nil
	}
	c := &Cache{dir: filepath.Join(dir, folder), kept: map[string]bool{}}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory for the bundle: %w", err)
	}
	return c, nil
}

// Has reports whether a content is kept.
func (c *Cache) Has(name string) bool { return c != nil && c.kept[name] }

// Load returns the index that was saved last, with its contents; nil if none was saved. An index whose contents are damaged comes without
// them, and with an error: it still shows which indexes are older.
func (c *Cache) Load(cluster string) (*bundle.Index, bundle.Contents, error) {
	if c == nil {
		return nil, nil, nil
	}
	files, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files { // those that no index names are removed by the next Save
		if delivery.CheckDigest(f.Name()) == nil {
			c.kept[f.Name()] = true
		}
	}
	index := &bundle.Index{}
	if err := c.read(indexFile, index); errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	if err := index.Follows(nil, cluster); err != nil {
		return nil, nil, err
	}
	contents := bundle.Contents{}
	var first error
	damaged := 0
	for _, name := range index.Names() {
		if contents[name], err = c.content(name); err != nil {
			delete(c.kept, name)
			first = cmp.Or(first, err)
			damaged++
		}
	}
	if damaged > 0 {
		return index, nil, fmt.Errorf("%d contents are damaged, the first one: %w", damaged, first)
	}
	return index, contents, nil
}

func (c *Cache) content(name string) ([]byte, error) {
	if err := delivery.CheckDigest(name); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return nil, err
	}
	return content, bundle.Verify(name, content)
}

// Save replaces the bundle. content returns those contents that have no file yet. After an error no bundle is kept: an older one would undo
// what is delivered now.
func (c *Cache) Save(index *bundle.Index, content func(name string) []byte) error {
	if c == nil {
		return nil
	}
	wanted := map[string]bool{}
	for _, name := range index.Names() {
		wanted[name] = true
	}
	if err := c.save(index, wanted, content); err != nil {
		err = errors.Join(err, os.Remove(filepath.Join(c.dir, indexFile)))
		return fmt.Errorf("keeping the bundle for a start without the hub: %w", err)
	}
	for name := range c.kept {
		if !wanted[name] {
			_ = os.Remove(filepath.Join(c.dir, name)) // a file that stays costs only room
			delete(c.kept, name)
		}
	}
	return nil
}

func (c *Cache) save(index *bundle.Index, wanted map[string]bool, content func(name string) []byte) error {
	for name := range wanted {
		if c.kept[name] {
			continue
		}
		text := content(name)
		if err := bundle.Verify(name, text); err != nil {
			return err
		}
		if err := c.replace(name, text, false); err != nil {
			return err
		}
		c.kept[name] = true
	}
	return c.write(indexFile, index)
}

// SaveCluster replaces the Cluster, without its status.
func (c *Cache) SaveCluster(cluster *v1alpha1.Cluster) error {
	if c == nil {
		return nil
	}
	kept := &v1alpha1.Cluster{Spec: cluster.Spec}
	kept.Name, kept.UID, kept.Generation = cluster.Name, cluster.UID, cluster.Generation
	return c.write(clusterFile, kept)
}

// LoadCluster returns the Cluster that was saved last; nil if none was saved.
func (c *Cache) LoadCluster(name string) (*v1alpha1.Cluster, error) {
	if c == nil {
		return nil, nil
	}
	cluster := &v1alpha1.Cluster{}
	if err := c.read(clusterFile, cluster); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if cluster.Name != name {
		return nil, fmt.Errorf("the file has Cluster %q, and this is the agent of %q", cluster.Name, name)
	}
	return cluster, nil
}

func (c *Cache) read(file string, into any) error {
	text, err := os.ReadFile(filepath.Join(c.dir, file))
	if err != nil {
		return err
	}
	if len(text) <= digestLength {
		return fmt.Errorf("%s is damaged: it is too short", file)
	}
	if err := bundle.Verify(string(text[:digestLength]), text[digestLength+1:]); err != nil {
		return fmt.Errorf("%s is damaged: %w", file, err)
	}
	return json.Unmarshal(text[digestLength+1:], into)
}

func (c *Cache) write(file string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := c.replace(file, append([]byte(delivery.Digest(text)+"\n"), text...), true); err != nil {
		return err
	}
	dir, err := os.Open(c.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close()) // a node that loses power does not return to an older bundle
}

// replace writes a file, which is there as a whole or as it was. A file that does not survive a loss of power has another digest then.
func (c *Cache) replace(file string, text []byte, survives bool) error {
	path := filepath.Join(c.dir, file)
	f, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if survives {
		err = errors.Join(err, f.Sync())
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+unfinished, path)
}
