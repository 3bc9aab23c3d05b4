// The stream: what changed is sent, four times a second at most, and nothing is queued for who does not read.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '@avocet/dashboard'
import { EventClient } from '../src/server/event-streams.ts'
import { FIRST_WISH, readWish } from '../src/view-wish.ts'
import { HandClock, stillShelf } from './still-crawl.ts'

/** An answer whose reader takes what it is told to take. */
class Reader extends EventEmitter {
  readonly texts: string[] = []
  takes = true
  destroyed = false
  writableEnded = false

  writeHead(): void {}
  flushHeaders(): void {}

  write(text: string): boolean {
    this.texts.push(text)
    return this.takes
  }

  end(): void {
    this.writableEnded = true
  }

  destroy(): void {
    this.destroyed = true
  }

  /** What was sent since the last time. */
  frames(): readonly {
    readonly set: Readonly<Record<string, unknown>>
    readonly gone: readonly string[]
    readonly wish: number
  }[] {
    return this.texts.splice(0).flatMap((text) => {
      const [event = '', data = ''] = text.split('\n')
      return event === 'event: frame' ? [JSON.parse(data.replace('data: ', '')) as never] : []
    })
  }
}

function client(): { readonly reader: Reader; readonly client: EventClient } {
  const reader = new Reader()
  return { reader, client: new EventClient('one', reader as unknown as ServerResponse) }
}

describe('a stream', () => {
  it('sends what changed, and names what has gone', async () => {
    const { reader, client: one } = client()
    await one.turn(0, async () => ({ a: 1, b: { c: 2 } }))
    await one.turn(250, async () => ({ a: 1, b: { c: 3 } }))
    await one.turn(500, async () => ({ b: { c: 3 } }))
    await one.turn(750, async () => ({ b: { c: 3 } }))

    expect(reader.frames()).toEqual([
      { wish: 0, set: { a: 1, b: { c: 2 } }, gone: [] },
      { wish: 0, set: { b: { c: 3 } }, gone: [] },
      { wish: 0, set: {}, gone: ['a'] },
    ])
  })

  it('skips the turns of a slow reader, and then sends all that changed in one frame', async () => {
    const { reader, client: one } = client()
    reader.takes = false
    await one.turn(0, async () => ({ a: 0 }))
    for (let n = 1; n <= 100; n++) await one.turn(250 * n, async () => ({ a: n }))
    expect(reader.frames()).toHaveLength(1)
    expect(one.skipped).toBe(100)

    reader.takes = true
    reader.emit('drain')
    await one.turn(25_250, async () => ({ a: 101 }))
    expect(reader.frames()).toEqual([{ wish: 0, set: { a: 101 }, gone: [] }])
  })

  it('gives up a reader that takes nothing for a minute', async () => {
    const { reader, client: one } = client()
    reader.takes = false
    await one.turn(0, async () => ({ a: 0 }))
    await one.turn(59_000, async () => ({ a: 1 }))
    expect(reader.destroyed).toBe(false)
    await one.turn(61_000, async () => ({ a: 2 }))
    expect(reader.destroyed).toBe(true)
  })

  it('does not ask again while an answer is on its way', async () => {
    const { reader, client: one } = client()
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
    let asked = 0
    const slow = (): Promise<Record<string, unknown>> => {
      asked++
      return promise
    }
    const first = one.turn(0, slow)
    await one.turn(250, slow)
    await one.turn(500, slow)
    resolve({ a: 1 })
    await first

    expect([asked, reader.frames().length]).toEqual([1, 1])
  })

  it('sends nothing of a view that was left meanwhile, and everything of the next one', async () => {
    const { reader, client: one } = client()
    const wish = readWish({ view: 'now', crawl: 'still' })
    await one.turn(0, async () => ({ a: 1 }))
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
    const old = one.turn(250, () => promise)
    one.wishes(wish, 2)
    one.wishes(FIRST_WISH, 1)
    resolve({ a: 2 })
    await old
    await one.turn(500, async (wanted) => ({ a: 1, view: wanted.view }))

    expect(reader.frames()).toEqual([
      { wish: 0, set: { a: 1 }, gone: [] },
      { wish: 2, set: { a: 1, view: 'now' }, gone: [] },
    ])
  })
})

describe('wishes', () => {
  it('that make no sense are those of a page that has not said', () => {
    expect(readWish(null)).toEqual(FIRST_WISH)
    expect(readWish({ view: '__proto__', from: -1, count: 1e9, sort: 7, state: {}, key: [] })).toEqual({
      ...FIRST_WISH,
      count: 200,
    })
  })
})

describe('streams of a server', () => {
  let open: Dashboard | undefined
  afterEach(() => open?.close())

  it('are eight at most, cost nothing while there is none, and end with it', async () => {
    const clock = new HandClock()
    open = await startDashboard({ shelf: stillShelf({ clock }), clock })
    const link = new URL(open.link)
    const entered = await fetch(link, { redirect: 'manual' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(clock.waits).toBe(0)

    const streams = await Promise.all(Array.from({ length: 8 }, () => fetch(`${link.origin}/events`, { headers: { cookie } })))
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect((await fetch(`${link.origin}/events`, { headers: { cookie } })).status).toBe(503)
    expect(clock.waits).toBe(1)

    const texts = streams.map((stream) => stream.text())
    await open.close()
    for (const text of await Promise.all(texts)) expect(text).toMatch(/event: over\ndata: \{\}\n\n$/)
    expect(clock.waits).toBe(0)
  })
})
