// Errors in the user's code, as the memory frontier groups them: a page that failed has the error of the first of its group.
import { groupOf, MAX_ERROR_GROUPS, OTHER_ERRORS, type HandlerError, type HandlerErrorGroup } from '../handler-error.ts'
import type { MemoryRequest } from './memory-request.ts'

/** The groups of one store. */
export class ErrorGroups {
  readonly #groups = new Map<string, HandlerError>()

  /** The error of the group that `error` is of, made for it if there is room. */
  of(error: HandlerError): HandlerError {
    const own = groupOf(error)
    const key = this.#groups.has(own) || this.#groups.size < MAX_ERROR_GROUPS ? own : ''
    const met = this.#groups.get(key)
    if (met !== undefined) return met
    const first = key === '' ? OTHER_ERRORS : { ...error }
    this.#groups.set(key, first)
    return first
  }

  /** Those of which failed pages are left, most first. */
  counted(requests: readonly MemoryRequest[]): readonly HandlerErrorGroup[] {
    const counted = new Map<HandlerError, HandlerErrorGroup>()
    for (const { state, handlerError, request } of requests) {
      if (state !== 'failed' || handlerError === undefined) continue
      const { url, handler, count } = counted.get(handlerError) ?? { ...request, count: 0 }
      counted.set(handlerError, { ...handlerError, url, handler, count: count + 1 })
    }
    const groups = [...this.#groups.values()].flatMap((error) => counted.get(error) ?? [])
    return groups.toSorted((a, b) => b.count - a.count)
  }
}
