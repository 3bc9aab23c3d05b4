// The site of docs/: `npm run docs` builds it into docs/.vitepress/dist, and fails on a broken link or anchor.
//
// The pages are also read as files on GitHub, so nothing in them is VitePress's own: the sidebar is the list of docs/README.md, anchors are those of GitHub, and
// links out of docs/ lead to the repository if AVOCET_REPOSITORY has its address, otherwise nowhere. docs/design is for contributors, and not on the site.
import { cpSync, globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from 'vitepress'
import { docsIndex, headingSlug, type IndexedSection } from '../../scripts/docs-index.ts'
import { brokenLinks } from './broken-links.ts'

const DOCS = join(import.meta.dirname, '..')
const repository = process.env['AVOCET_REPOSITORY']

export default defineConfig({
  title: 'Avocet',
  description: 'A TypeScript framework for crawls that run for months',
  lang: 'en',
  rewrites: { 'README.md': 'index.md' },
  srcExclude: ['design/**'],
  markdown: { anchor: { slugify: headingSlug }, config: linkOutside },
  transformPageData: ({ relativePath }) => (relativePath === 'index.md' ? { frontmatter: { aside: false } } : {}),
  themeConfig: {
    sidebar: [...items(docsIndex().pages), ...docsIndex().sections.map((section) => group(section, false))],
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } },
    ...(repository === undefined ? {} : { socialLinks: [{ icon: 'github', link: repository }] }),
  },
  buildEnd({ outDir }) {
    for (const path of ['llms.txt', ...globSync('{*,[!d]*/**/*}.md', { cwd: DOCS })]) cpSync(join(DOCS, path), join(outDir, path))
    const broken = brokenLinks(outDir)
    if (broken.length > 0) throw new Error(`broken links or requests to other hosts:\n  ${broken.join('\n  ')}`)
  },
})

function items(pages: IndexedSection['pages']): DefaultTheme.SidebarItem[] {
  return pages.map(({ title, path }) => ({ text: title, link: `/${path.replace(/\.md$/, '')}` }))
}

/** Headings below a heading open on a click, or with one of their pages. */
function group({ title, pages, sections }: IndexedSection, isBelow: boolean): DefaultTheme.SidebarItem {
  return { text: title, collapsed: isBelow, items: [...items(pages), ...sections.map((section) => group(section, true))] }
}

/** Pages that say what to do come before tables that list every member, and before the list of all pages. */
function boostDocument(id: string): number {
  if (/\/(?:troubleshooting|reference\/(?:errors|exit-codes))/.test(id)) return 1.5
  return /\/(?:reference\/|limits|moving\/|#)/.test(id) ? 0.3 : 1
}

/** Links to files outside of the site, and to its first page. */
function linkOutside(md: MarkdownRenderer): void {
  md.core.ruler.push('outside', ({ tokens, env }) => {
    const page = (env as { path: string }).path
    for (const { children } of tokens)
      for (const [index, token] of (children ?? []).entries()) {
        const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : ''
        if (href === '' || /^(?:[a-z]+:|#)/.test(href)) continue
        const path = relative(DOCS, join(dirname(page), href))
        if (/^README\.md(?:#|$)/.test(path)) token.attrSet('href', href.replace('README.md', 'index.md'))
        if (!path.startsWith('..') && !path.startsWith('design')) continue
        if (repository !== undefined)
          token.attrSet('href', `${repository}/blob/HEAD/${relative(join(DOCS, '..'), join(DOCS, path))}`)
        else unlink(children ?? [], index)
      }
  })
}

/** Leaves the text of the link that begins at `index`. */
function unlink(tokens: { type: string; tag: string; hidden: boolean; attrs: unknown }[], index: number): void {
  const end = tokens.findIndex(({ type }, at) => at > index && type === 'link_close')
  for (const token of [tokens[index], tokens[end]])
    if (token !== undefined) Object.assign(token, { type: token.type.replace('link', 'plain'), tag: 'span', attrs: null })
}
