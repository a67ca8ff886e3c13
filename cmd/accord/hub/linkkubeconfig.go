package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// LinkKubeconfig links the kubeconfig in the data directory. A link stays valid when the hub rewrites the file.
func LinkKubeconfig(dir, target string) (string, error) {
	link := filepath.Join(dir, "kubeconfig")
	relative, err := filepath.Rel(dir, target)
	if err != nil {
		return "", fmt.Errorf("linking the kubeconfig: %w", err)
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("replacing the kubeconfig: %w", err)
	}
	if err := os.Symlink(relative, link); err != nil {
		return "", fmt.Errorf("linking the kubeconfig: %w", err)
	}
	return link, nil
}
