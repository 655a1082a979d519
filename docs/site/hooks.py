# SPDX-License-Identifier: LGPL-2.1-or-later
"""What MkDocs does beyond its settings for these pages."""

import os
import re


def slugify(title, separator):
    """The anchor of a heading, as forges make it and the pages use it."""
    return re.sub(r'[^\w -]', '', title.lower()).replace(' ', separator)


def on_config(config):
    config['mdx_configs'].setdefault('toc', {})['slugify'] = slugify
    return config


def on_page_markdown(markdown, **_):
    """Without what the tests read, and nobody else."""
    return re.sub(r'^<!--.*?-->\n', '', markdown, flags=re.M | re.S)


def on_post_build(config):
    """The index as a script, too: from a file: address it cannot be fetched."""
    folder = os.path.join(config['site_dir'], 'search')
    with open(os.path.join(folder, 'search_index.json'),
              encoding='utf-8') as file:
        index = file.read()
    with open(os.path.join(folder, 'search_index.js'), 'w',
              encoding='utf-8') as file:
        file.write('var __index = %s;\n' % index)
