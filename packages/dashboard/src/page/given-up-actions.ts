// What can be done with given-up pages: retry them, or drop them. Only what the crawl offers has a button.
import { h } from 'preact'
import type { WhichPages } from '../steering.ts'
import { type Drawn, offers, type ViewScope } from './view-scope.ts'

/** Which pages, and how the buttons are called. */
interface GivenUp {
  readonly which: WhichPages
  /** After the verb: what the button says, and what a screen reader says. */
  readonly words?: string
  readonly label?: string
  /** None of them can be dropped. */
  readonly isDropped: boolean
  readonly isSmall?: boolean
}

const VERBS = { reopen: 'Retry', drop: 'Drop' } as const

/** The buttons; none where nothing can be done. */
export function givenUpActions(
  { which, words = '', label, isDropped, isSmall = false }: GivenUp,
  scope: ViewScope,
): readonly Drawn[] {
  return (['reopen', 'drop'] as const)
    .filter((kind) => offers(scope, kind) && !(isDropped && kind === 'drop'))
    .map((kind) =>
      h(
        'button',
        {
          key: kind,
          onClick: () => scope.act({ kind, ...which }),
          ...(isSmall && { class: 'small' }),
          ...(label !== undefined && { 'aria-label': `${VERBS[kind]} ${label}` }),
        },
        `${VERBS[kind]}${words}`,
      ),
    )
}
