// Which pages have their document built before their handlers run: of handlers that ask for it, and of no others for long.
import type { Handler } from '@avocet/core'
import { systemClock } from '@avocet/core/store'
import { pageOf } from '@avocet/page'
import { describe, expect, it } from 'vitest'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import { PageTurns } from '../../src/pages/page-turns.ts'
import { requestOf, responseOf } from '../page-parts.ts'

const large = (contentType = 'text/html'): ReturnType<typeof pageOf> =>
  pageOf({
    request: requestOf(),
    response: responseOf({ 'content-type': contentType }, `<title>x</title><p>${'x'.repeat(640_000)}</p>`),
    html: 'fast',
  })

/** A handler whose source names the document; whether it asks for it is said by each page. */
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

  it('has its document built ahead where the source of its handler names it, once in vain', async () => {
    const to = turns()

    expect([await given(to, false), await given(to, false), await given(to, false)]).toEqual([true, false, false])
  })

  it('has it built ahead where its handler has asked, until three in a row were built in vain', async () => {
    const to = turns()
    const asks = [true, false, false, true, false, false, false, false, false]
    const built: boolean[] = []
    for (const each of asks) built.push(await given(to, each))

    expect(built).toEqual([true, true, true, true, true, true, true, false, false])
  })

  it('that waits behind the first one of its kind hears what became of that', async () => {
    const to = turns()
    const [first, second] = [large(), large()]
    const firstReady = to.ready({ page: first, handler: naming, begin: () => {} })
    const secondReady = to.ready({ page: second, handler: naming, begin: () => {} })
    await firstReady
    to.seen(first, naming)
    await secondReady

    expect([first.hasDom, second.hasDom]).toEqual([true, false])
  })

  it('of another type tells nothing of its handler', async () => {
    const to = turns()

    expect([await given(to, false, large('application/json')), await given(to, false)]).toEqual([false, true])
  })
})
