// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// ownFile is the address of a file or folder of this repository, which pages of
// the registry must use for what is not among its documents.
var ownFile = regexp.MustCompile(
	`^https://github\.com/assessascode/terraform-provider-assess/(?:blob|tree)/main/([^#]+)(#.*)?$`,
)

// checkLinks fails where a page links to a file, a folder or an anchor that the
// repository does not have. Other addresses are not fetched.
func checkLinks(root string, out io.Writer) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	byPath := map[string]*page{}
	for _, p := range pages {
		byPath[p.path] = p
	}
	var problems []string
	checked, outside := 0, 0
	for _, p := range pages {
		for _, l := range p.links {
			dead, local := follow(root, byPath, p, l.to)
			switch {
			case !local:
				outside++
			case dead != "":
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s", p.path, l.line, l.to, dead))
			default:
				checked++
			}
		}
	}
	if _, err := fmt.Fprintf(out, "links: %d pages, %d links within the repository lead somewhere, %d lead outside and "+
		"were not followed\n", len(pages), checked, outside); err != nil {
		return err
	}
	return joined(problems)
}

// follow says what is wrong with a link; local is false where it leads outside.
func follow(root string, byPath map[string]*page, from *page, to string) (dead string, local bool) {
	if m := ownFile.FindStringSubmatch(to); m != nil {
		return reach(root, byPath, strings.TrimSuffix(m[1], "/"), m[2])
	}
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return "is no address", true
	case u.Scheme != "" || u.Host != "":
		return "", false
	case strings.HasPrefix(u.Path, "/"):
		return "begins with a slash, and so leads elsewhere on every site", true
	case u.Path == "":
		return reach(root, byPath, from.path, "#"+u.Fragment)
	}
	target := path.Join(path.Dir(from.path), u.Path)
	fragment := ""
	if u.Fragment != "" {
		fragment = "#" + u.Fragment
	}
	if strings.HasPrefix(from.path, "docs/") && !strings.HasPrefix(target, "docs/") {
		return "lies outside docs/, where the registry shows nothing: use the address on GitHub", true
	}
	return reach(root, byPath, target, fragment)
}

func reach(root string, byPath map[string]*page, target, fragment string) (string, bool) {
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
		return "there is no " + target, true
	}
	if fragment == "" {
		return "", true
	}
	p := byPath[target]
	switch {
	case p == nil:
		return target + " has no anchors", true
	case !p.anchors[strings.TrimPrefix(fragment, "#")]:
		return target + " has no anchor " + fragment, true
	}
	return "", true
}
