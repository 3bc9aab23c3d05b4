// Errors in the user's code, as the memory frontier groups them: a page that failed has the error of the first of its group.
import {
  ERROR_SEEN_EVERY_MS,
  groupOf,
  type HandlerError,
  type HandlerErrorGroup,
  MAX_ERROR_GROUPS,
  OTHER_ERRORS,
  STALE_ERROR_GROUPS,
} from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'

/** The key of all that are not listed one by one. */
const OTHERS = ''

interface Group {
  readonly error: HandlerError
  /** Epoch ms, to the hour. */
  seenAt: number
  /** Those that failed with it, and such as did and have been mended since: they leave when they are met. */
  readonly pages: Set<MemoryRequest>
}

/** The groups of one store. */
export class ErrorGroups {
  /** In the order in which they were made. */
  readonly #groups = new Map<string, Group>()

  /** The error of the group that `request` fails with, which is made if need be. `at`: epoch ms of its page; default: as late as the latest. */
  join(
    request: MemoryRequest,
    error: HandlerError,
    at: number = Math.max(0, ...[...this.#groups.values()].map(({ seenAt }) => seenAt)),
  ): HandlerError {
    const group = this.#groupOf(error, at)
    if (at - group.seenAt >= ERROR_SEEN_EVERY_MS) group.seenAt = at
    group.pages.add(request)
    return group.error
  }

  /** Those of which failed pages are left, most first. */
  counted(): readonly HandlerErrorGroup[] {
    const groups = [...this.#groups.values()].flatMap((group) => {
      for (const page of group.pages) if (!isOf(group, page)) group.pages.delete(page)
      const [first] = [...group.pages].toSorted((a, b) => a.id - b.id)
      if (first === undefined) return []
      const { url, handler } = first.request
      return { ...group.error, count: group.pages.size, url, handler }
    })
    return groups.toSorted((a, b) => b.count - a.count)
  }

  #groupOf(error: HandlerError, at: number): Group {
    const key = groupOf(error)
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    if (key !== OTHERS && this.#named().length >= MAX_ERROR_GROUPS) this.#makeRoom()
    return this.#make(key, key === OTHERS ? OTHER_ERRORS : { ...error }, at)
  }

  #make(key: string, error: HandlerError, seenAt: number): Group {
    const group: Group = { error, seenAt, pages: new Set() }
    this.#groups.set(key, group)
    return group
  }

  #named(): [string, Group][] {
    return [...this.#groups].filter(([key]) => key !== OTHERS)
  }

  #makeRoom(): void {
    const mended = this.#named().filter(([, group]) => isMended(group))
    for (const [key] of mended) this.#groups.delete(key)
    if (mended.length > 0) return
    const stale = this.#named()
      .toSorted(([, a], [, b]) => a.seenAt - b.seenAt)
      .slice(0, STALE_ERROR_GROUPS)
    const [[key, { pages }] = ['', { pages: [] }]] = stale.toSorted(([, a], [, b]) => a.pages.size - b.pages.size)
    const others = this.#groups.get(OTHERS) ?? this.#make(OTHERS, OTHER_ERRORS, 0)
    for (const page of pages) {
      page.row = { ...page.row, error: others.error }
      others.pages.add(page)
    }
    this.#groups.delete(key)
  }
}

/** Stops at the first page that is left, so that a flood of groups is not one of look-ups. */
function isMended(group: Group): boolean {
  for (const page of group.pages) {
    if (isOf(group, page)) return false
    group.pages.delete(page)
  }
  return true
}

function isOf({ error }: Group, { row }: MemoryRequest): boolean {
  return row.state === 'failed' && row.error === error
}
