# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site of the pages is whole, and asks nothing of other hosts.

site.py MAKE BUILD

Every link and anchor inside the site leads somewhere, every page is in its
navigation, and nothing is loaded from elsewhere.
"""

import html.parser
import os
import re
import subprocess
import sys
import urllib.parse

SKIP = 77
# what a browser fetches by itself; other addresses are for readers to follow
LOADS = {'script': ('src',), 'img': ('src', 'srcset'), 'iframe': ('src',),
         'source': ('src', 'srcset'), 'video': ('src', 'poster'),
         'object': ('data',), 'embed': ('src',), 'audio': ('src',)}
LOADED_LINKS = {'stylesheet', 'icon', 'preconnect', 'preload', 'modulepreload',
                'dns-prefetch', 'prefetch', 'manifest'}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.navigation, self.depth = set(), 0
        self.style = False
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(filter(None, (attrs.get('id'), attrs.get('name'))))
        self.depth += tag == 'nav'
        self.style = tag == 'style'
        for name in LOADS.get(tag, ()):
            if attrs.get(name):
                self.loads.append(attrs[name])
        if tag == 'link' and LOADED_LINKS & set(attrs.get('rel', '').split()):
            self.loads.append(attrs['href'])
        if tag == 'a' and attrs.get('href'):
            self.links.append(attrs['href'])
            if self.depth:
                self.navigation.add(attrs['href'])
        self.loads += re.findall(r'url\(["\']?([^)"\']+)',
                                 attrs.get('style') or '')

    def handle_endtag(self, tag):
        self.depth -= tag == 'nav'
        self.style = False

    def handle_data(self, data):
        if self.style:
            self.loads += css_loads(data)


def css_loads(text):
    return (re.findall(r'url\(["\']?([^)"\']+)', text)
            + re.findall(r'@import\s+["\']([^"\']+)', text))


def is_elsewhere(link):
    return bool(re.match(r'(\w[\w+.-]*:)?//', link))


def check_page(name, page, pages, site):
    for load in page.loads:
        if is_elsewhere(load):
            yield '%s loads %s' % (name, load)
    for link in page.links + page.loads:
        if re.match(r'[a-z][a-z0-9+.-]*:', link) or link.startswith('//'):
            continue
        path, _, anchor = link.partition('#')
        path = urllib.parse.unquote(path.partition('?')[0])
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) \
            if path else name
        if target.startswith('..'):
            yield '%s: %s is outside of the site' % (name, link)
        elif not os.path.isfile(os.path.join(site, target)):
            yield '%s: %s is not there' % (name, link)
        elif anchor and target in pages \
                and urllib.parse.unquote(anchor) not in pages[target].ids:
            yield '%s: %s has no such anchor' % (name, link)


def check_index(site):
    """llms.txt: a title, what it is, sections of links to texts."""
    with open(os.path.join(site, 'llms.txt'), encoding='utf-8') as file:
        text = file.read()
    if not re.match(r'# .+\n\n> .+\n', text) or text.count('\n## ') < 6:
        yield 'llms.txt has no title, summary or sections'
    links = re.findall(r'\]\(([^)#\s]+)', text)
    for link in links:
        if not link.endswith('.md') \
                or not os.path.isfile(os.path.join(site, link)):
            yield 'llms.txt: %s is no text of the site' % link
    listed = set(links)
    with open(os.path.join(site, 'docs', 'README.md'),
              encoding='utf-8') as file:
        for link in re.findall(r'^- .*?\]\(([\w/-]+\.md)\)', file.read(), re.M):
            if 'docs/' + link not in listed:
                yield 'llms.txt: %s is not listed' % link


def check(site):
    names = [os.path.relpath(os.path.join(folder, name), site)
             for folder, _, files in os.walk(site) for name in files]
    # an error's page is shown anywhere; its links begin at the site's root
    pages = {name: Page(os.path.join(site, name)) for name in names
             if name.endswith('.html') and name != '404.html'}
    problems = [problem for name, page in sorted(pages.items())
                for problem in check_page(name, page, pages, site)]
    for name in names:
        if name.endswith('.css'):
            with open(os.path.join(site, name), encoding='utf-8') as file:
                problems += ['%s loads %s' % (name, load)
                             for load in css_loads(file.read())
                             if is_elsewhere(load)]
    listed = {os.path.normpath(link.partition('#')[0])
              for link in pages['index.html'].navigation}
    problems += ['%s is not in the navigation' % name for name in sorted(pages)
                 if not name.startswith('reference' + os.sep)
                 and name != 'index.html' and name not in listed]
    for name in ('search/search_index.json', 'search/search_index.js',
                 'reference/index.html'):
        if name not in names:
            problems.append('there is no %s' % name)
    problems += check_index(site)
    print('\n'.join(problems) or '%d pages, %d links' % (
        len(pages), sum(len(page.links) for page in pages.values())))
    return int(bool(problems) or len(pages) < 200)


def main(make, build):
    code = subprocess.run([sys.executable, make, build]).returncode
    return check(os.path.join(build, 'site')) if code == 0 else code


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
