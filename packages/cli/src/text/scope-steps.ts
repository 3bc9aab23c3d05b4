// How to follow what a crawl does not follow by itself: the command that accepts a pattern, called as this one was, with the store as it was typed.
import type { CrawlReport } from '@avocet/core'
import { commandLine } from '@avocet/project/place'

/** What a crawl left because of a pattern. */
interface Undone {
  readonly closedPatterns: readonly Pick<CrawlReport['closedPatterns'][number], 'pattern' | 'reason'>[]
}

/** What the command depends on. */
interface TypedStore {
  /** As it was typed, or as the next command finds it; absent: by itself. */
  readonly store?: string
  /** How the command was called: `avocet`, or `npx avocet`. */
  readonly command?: string
}

/** For the first pattern that is closed: a sentence, and a command on a line of its own. */
export function scopeSteps({ closedPatterns: [closed] }: Undone, { store, command }: TypedStore = {}): string[] {
  if (closed === undefined) return []
  return [
    closed.reason === 'same-content'
      ? 'to open a closed pattern, accept it, and run the crawl again:'
      : 'to lift a budget, accept its pattern; the next visits of its pages, or a crawl with --fresh, follow all of their links:',
    `  ${commandLine(['scope', 'accept', closed.pattern, ...(store === undefined ? [] : ['--store', store])], command)}`,
  ]
}
