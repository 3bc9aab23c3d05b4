// A host whose pages are handed to the plugin one by one.
import { HostPast } from '../src/host-past.ts'
import { judgeMove, judgePage } from '../src/judge-page.ts'
import type { HealthMemory } from '../src/laws/witnesses.ts'

export interface Answer {
  readonly body: string
  readonly items: readonly {
    readonly sku: string
    readonly price?: number
    readonly currency?: string
    readonly stock?: string
  }[]
}

export const BLOCKED: Answer = { body: '<title>Access denied</title>You have been blocked.', items: [] }

export class OneHost {
  readonly memory: HealthMemory = {}
  /** Prices that were published, in the order in which they were, and those that are held, by page. */
  readonly published: number[] = []
  readonly #held = new Map<number, { readonly handler: string; readonly prices: readonly number[] }>()
  past = new HostPast(undefined, 0)

  /** Whether what the page brought is held. `unchanged`: it answers 304; `dropped`, `rejects`: so many items plugins dropped, the schema refused. */
  visit(
    page: number,
    { body, items }: Answer,
    { at = 0, unchanged = false, dropped = 0, rejects = 0, handler = 'start' } = {},
  ): boolean {
    const content = {
      unchanged,
      items: items.map((item) => JSON.stringify(item)),
      keys: items.map(({ sku }) => sku),
      rejects,
      dropped,
    }
    const moment = { handler, url: `https://shop.test/${page}`, at }
    const { hold, settle } = judgePage(this.past, this.memory, {
      id: page + 1,
      ...content,
      body: Buffer.from(body),
      ...moment,
    })
    const prices = items.flatMap(({ price }) => price ?? [])
    for (const [each, of] of this.#held) {
      if (settle === undefined || (settle === 'publish' && of.handler !== handler)) continue
      if (settle === 'publish') this.published.push(...of.prices)
      this.#held.delete(each)
    }
    if (hold === undefined) {
      this.#held.delete(page)
      this.published.push(...prices)
    } else this.#held.set(page, { handler, prices })
    return hold !== undefined
  }

  /** A page redirects. */
  move(page: number, target: string, { at = 0 } = {}): void {
    judgeMove(this.past, this.memory, { id: page + 1, handler: 'start', url: `https://shop.test/${page}`, at, target })
  }
}
