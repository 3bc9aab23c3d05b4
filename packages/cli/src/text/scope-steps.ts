// How to follow what a crawl does not follow by itself: the command that accepts a pattern, called as this one was, with the store as it was typed.
import type { ClosedPattern, WaitingLinks } from '@avocet/core/tools'
import { commandLine } from './command-line.ts'

/** What a crawl left because of a pattern. */
interface Undone {
  readonly closedPatterns: readonly Pick<ClosedPattern, 'pattern' | 'reason'>[]
  readonly waitingLinks: readonly WaitingLinks[]
}

/** What the command depends on. */
interface TypedStore {
  /** As it was typed, or as the next command finds it; absent: by itself. */
  readonly store?: string
  /** How the command was called: `avocet`, or `npx avocet`. */
  readonly command?: string
}

/** For the first links that wait, and for the first pattern that is closed besides: each a sentence, and a command on a line of its own. */
export function scopeSteps({ closedPatterns, waitingLinks: [links] }: Undone, { store, command }: TypedStore = {}): string[] {
  const accept = (pattern: string): string =>
    `  ${commandLine(['scope', 'accept', pattern, ...(store === undefined ? [] : ['--store', store])], command)}`
  const lifted = links && acceptedBy(links)
  const closed = closedPatterns.find(({ pattern }) => pattern !== lifted)
  return [
    ...(lifted === undefined
      ? []
      : ['to follow links that wait for a budget, accept their pattern, and run the crawl again:', accept(lifted)]),
    ...(closed === undefined
      ? []
      : [
          closed.reason === 'same-content'
            ? 'to open a closed pattern, accept it, and run the crawl again:'
            : 'to lift a budget, accept its pattern, and run the crawl again:',
          accept(closed.pattern),
        ]),
  ]
}

/** The pattern that takes the budget away that links of a page wait for; of several budgets, that of its own host. */
function acceptedBy({ url, budget }: WaitingLinks): string {
  return budget.kind === 'new-hosts' ? `*.${budget.site}` : `${new URL(url).host}/**`
}
