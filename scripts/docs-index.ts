// The index of the documentation, read from docs/README.md: the sidebar of the site and docs/llms.txt are made from it. `npm run reference` writes llms.txt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A page: its path from docs/, its title, and what it covers. */
interface IndexedPage {
  readonly title: string
  readonly path: string
  readonly covers: string
}

/** A heading of the index with its pages and headings below it. */
export interface IndexedSection {
  readonly title: string
  readonly pages: IndexedPage[]
  readonly sections: IndexedSection[]
}

const ROOT = join(import.meta.dirname, '..')

/** The whole index, as one section. */
export function docsIndex(): IndexedSection {
  const whole: IndexedSection = { title: 'Avocet', pages: [], sections: [] }
  const path = [whole]
  for (const line of readFileSync(join(ROOT, 'docs/README.md'), 'utf8').split('\n')) {
    const [, marks, heading] = /^(##+) (.+)$/.exec(line) ?? []
    const [, title, page, covers] = /^- \[([^\]]+)\]\(([^)]+\.md)\): (.+)$/.exec(line) ?? []
    if (marks !== undefined && heading !== undefined) {
      const section: IndexedSection = { title: heading, pages: [], sections: [] }
      path.length = marks.length - 1
      path.at(-1)?.sections.push(section)
      path.push(section)
    } else if (title !== undefined && page !== undefined && covers !== undefined)
      path.at(-1)?.pages.push({ title, path: page, covers })
  }
  return whole
}

/** The text of docs/llms.txt (llmstxt.org). */
export function llmsText(): string {
  const list = ({ title, pages, sections }: IndexedSection, above: string): string[] => {
    const head = above === '' ? [] : [`\n## ${above === 'Avocet' ? title : `${above}: ${title.toLowerCase()}`}\n`]
    const lines = pages.map((page) => `- [${page.title}](${page.path}): ${page.covers}`)
    return [...(lines.length > 0 ? [...head, ...lines] : []), ...sections.flatMap((section) => list(section, title))]
  }
  const summary =
    'A TypeScript framework for crawls that run for months: polite by default, resumable at any moment, each item exactly once.'
  return `# Avocet\n\n> ${summary}\n\n${list(docsIndex(), '').join('\n')}\n`
}

/** The anchor of a heading, as GitHub makes it. */
export function headingSlug(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
