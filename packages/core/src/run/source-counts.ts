// Counts what documents of plugins list, document by document.
import type { CommitResult } from '../frontier.ts'
import type { SourceCount } from '../document-handler.ts'
import type { PendingUnit } from '../store/commits.ts'

/** Documents that are told apart. */
const MAX_SOURCES = 1_000
const OTHERS = ''

/** The counts of one run. */
export class SourceCounts {
  readonly #counts = new Map<string, SourceCount>()

  /** A unit was committed. What a plugin keeps records of, such as a file, lists nothing. */
  add({ isListing, records, request, outcome, offered, links: listed }: PendingUnit, result: CommitResult): void {
    if (isListing !== true || records !== undefined || request === undefined || outcome?.kind !== 'done') return
    const isNamed = this.#counts.has(request.url) || this.#counts.size < MAX_SOURCES
    const url = isNamed ? request.url : OTHERS
    const { links = 0, added = 0, due = 0 } = this.#counts.get(url) ?? {}
    // An index has its documents read in each run, whatever their dates.
    const modified = listed.some(({ handler }) => !isOfPlugin(handler)) ? (result.asked ?? 0) : 0
    this.#counts.set(url, { url, links: links + offered, added: added + result.added, due: due + modified })
  }

  /** In the order in which they were first read. */
  get all(): readonly SourceCount[] {
    return [...this.#counts.values()]
  }
}

/** `sitemaps/feed`: the name of the plugin comes before that of the document. */
function isOfPlugin(handler: string): boolean {
  return handler.includes('/')
}
