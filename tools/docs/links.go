// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
)

// checkLinks fails if a link is dead on one of the sites where its page is read. It also
// fails if the OpenTofu registry does not show a page, and no page that it shows links to
// it. Links to other sites are not checked.
func checkLinks(root string, out io.Writer) error {
	c := checker{root: root, pages: map[string]*page{}, reached: map[string]bool{}, dead: map[place]bool{}}
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	for _, p := range pages {
		c.pages[p.path] = p
	}
	for _, s := range sites {
		for _, p := range pages {
			if err := c.follow(s, p); err != nil {
				return err
			}
		}
	}
	for _, p := range pages {
		if strings.HasPrefix(p.path, "docs/") && openTofuPage(p.path) == "" && !c.reached[p.path] {
			c.problems = append(c.problems, p.path+": the OpenTofu registry does not show this page, and no page that it "+
				"shows links to it")
		}
	}
	if _, err := fmt.Fprintf(out, "links: %d pages, %d links followed on GitHub and both registries, %d links to other "+
		"sites not requested\n", len(pages), c.followed, c.outside); err != nil {
		return err
	}
	return joined(c.problems)
}

type checker struct {
	root              string
	pages             map[string]*page // by path
	reached           map[string]bool  // paths of pages to which a page of the OpenTofu registry links
	problems          []string
	dead              map[place]bool // links that are dead on a site, and not checked on others
	followed, outside int
}

// place is a link, by its page and number.
type place struct {
	page   string
	number int
}

// follow checks the links of a page on a site that shows it.
func (c *checker) follow(s site, p *page) error {
	address := s.address(p.path)
	if address == "" {
		return nil
	}
	from, err := url.Parse(address)
	if err != nil {
		return err
	}
	for i, l := range parsePage(p.path, []byte(s.prepare(p.source))).links {
		at := place{p.path, i}
		if c.dead[at] {
			continue
		}
		dies := func(why string) {
			c.dead[at] = true
			c.problems = append(c.problems, fmt.Sprintf("%s:%d: %s is dead on %s: %s", p.path, l.line, l.to, s.name, why))
		}
		to, err := s.resolve(from, l.to)
		if err != nil {
			dies("it is not a valid address")
			continue
		}
		target, dead, own := c.target(to)
		switch {
		case dead != "":
			dies(dead)
		case own:
			c.followed++
			c.reached[target] = c.reached[target] || s.name == openTofuRegistry.name
		case to.Host == from.Host && !strings.Contains(l.to, ":"):
			dies("it resolves to " + to.String())
		default:
			c.outside++
		}
	}
	return nil
}

// target returns the file or folder of the repository that an address shows. own is false
// if the address is of another site. dead says what is missing.
func (c *checker) target(to *url.URL) (file, dead string, own bool) {
	without := *to
	without.Fragment, without.RawFragment = "", ""
	address := without.String()
	if file, ok := repositoryFile(address); ok {
		if !exists(c.root, file) {
			return "", "the repository has no " + file, true
		}
		return c.anchor(gitHub, file, to.Fragment)
	}
	for _, s := range []site{terraformRegistry, openTofuRegistry} {
		home := s.address("docs/index.md")
		if !strings.HasPrefix(address, strings.TrimSuffix(home, "/docs")) {
			continue
		}
		if s.name == terraformRegistry.name {
			address = strings.TrimSuffix(address, ".md")
		}
		for path := range c.pages {
			if s.address(path) == address {
				return c.anchor(s, path, to.Fragment)
			}
		}
		return "", s.name + " has no page " + address, true
	}
	return "", "", false
}

// anchor checks an anchor of a file, as a site shows it.
func (c *checker) anchor(s site, file, name string) (string, string, bool) {
	p := c.pages[file]
	switch {
	case name == "":
		return file, "", true
	case p == nil:
		return file, file + " has no anchors", true
	case !s.ids(p)[name]:
		return file, fmt.Sprintf("%s has no anchor #%s there", file, name), true
	}
	return file, "", true
}
