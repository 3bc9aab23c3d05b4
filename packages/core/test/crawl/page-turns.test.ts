// Which pages have their document built before their handlers run: of handlers that have asked for it, and of no others.
import type { Handler } from '@avocet/core'
import { systemClock } from '@avocet/core/store'
import { pageOf } from '@avocet/page'
import { describe, expect, it } from 'vitest'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import { PageTurns } from '../../src/pages/page-turns.ts'
import { requestOf, responseOf } from '../page-parts.ts'

const large = (): ReturnType<typeof pageOf> =>
  pageOf({
    request: requestOf(),
    response: responseOf({ 'content-type': 'text/html' }, `<title>x</title><p>${'x'.repeat(640_000)}</p>`),
  })

/** Whether it asks for the document is said by each page. */
const naming: Handler<unknown> = function* (page) {
  yield { title: page.$('title').text() }
}

describe('a large page', () => {
  const turns = (): PageTurns => new PageTurns(systemClock(), new LoopBudget(systemClock()))

  /** Gives `handler` its page, which asks for its document if `asks`; whether it was built before. */
  async function given(to: PageTurns, asks: boolean, page = large()): Promise<boolean> {
    await to.ready({ page, handler: naming, begin: () => {} })
    const wasBuilt = page.hasDom
    if (asks) expect(page.$('title').text()).toBe('x')
    to.seen(page, naming)
    return wasBuilt
  }

  it('has its document built ahead once its handler has asked for one', async () => {
    const to = turns()

    expect([await given(to, false), await given(to, true), await given(to, true)]).toEqual([false, false, true])
  })

  it('that waits behind the first one of its kind hears what became of that', async () => {
    const to = turns()
    const [first, second] = [large(), large()]
    const firstReady = to.ready({ page: first, handler: naming, begin: () => {} })
    const secondReady = to.ready({ page: second, handler: naming, begin: () => {} })
    await firstReady
    expect([first.hasDom, first.$('title').text()]).toEqual([false, 'x'])
    to.seen(first, naming)
    await secondReady

    expect(second.hasDom).toBe(true)
  })
})
