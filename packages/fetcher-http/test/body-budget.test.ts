// Bodies that share a budget of bytes, over real sockets: they wait unread, go on, or are let go of, and whatever ends them, nothing stays counted.
import { randomBytes } from 'node:crypto'
import type net from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exchange, fetcherOf, ok, onRequest, outbound, says, tcp } from './web.ts'

const KIB = 2 ** 10
const MIB = 2 ** 20

/** Of this 768 KiB are used: a body of 256 KiB that is alone goes on, two do not. */
const budgeted = (bodyBudgetBytes = MIB): ReturnType<typeof fetcherOf> => fetcherOf({ bodyBudgetBytes })

const heldBy = (fetcher: ReturnType<typeof fetcherOf>): number => fetcher.bodyBudget.heldBytes

/** Resolves when `holds`; looks once a turn of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((next) => setImmediate(next))
}

/** A server that sends the head of an answer and the first part of its body, and then what the test wants. */
async function partly(bytes: number, first: number): Promise<{ readonly url: string; finish(): void; reset(): void }> {
  const open: net.Socket[] = []
  const url = await tcp((socket) => {
    open.push(socket)
    onRequest(socket, () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`)
      socket.write(Buffer.alloc(first, 'x'))
    })
  })
  const left = Buffer.alloc(bytes - first, 'x')
  return {
    url,
    finish: () => open.forEach((socket) => socket.write(left)),
    reset: () => open.forEach((socket) => socket.resetAndDestroy()),
  }
}

describe('a body that has no room', () => {
  it('waits unread until others have ended, and then comes whole; the wait is in none of its times', async () => {
    const fetcher = budgeted()
    fetcher.bodyBudget.acquire(700 * KIB)
    const site = await says(ok(Buffer.alloc(250 * KIB, 'x')), 'keep')
    const coming = exchange(fetcher, site, { limits: { idleMs: 200, totalMs: 300 } })
    await until(() => fetcher.bodyBudget.waiting === 1)
    const held = heldBy(fetcher)
    await new Promise((next) => setTimeout(next, 600))
    expect(heldBy(fetcher)).toBe(held)
    fetcher.bodyBudget.release(700 * KIB)

    const { response, failure } = await coming
    expect(failure).toBeUndefined()
    expect(response?.body).toHaveLength(250 * KIB)
    expect(response?.timings.waitedMs).toBeGreaterThan(500)
    expect(response?.timings.bodyMs).toBeLessThan(500)
    expect(heldBy(fetcher)).toBe(0)
  })

  it('does not keep smaller ones waiting', async () => {
    const fetcher = budgeted()
    const large = await partly(250 * KIB, 249 * KIB)
    fetcher.bodyBudget.acquire(400 * KIB)
    const stuck = exchange(fetcher, large.url)
    await until(() => fetcher.bodyBudget.waiting === 1)
    const small = await says(ok(Buffer.alloc(20 * KIB, 's')))
    expect((await exchange(fetcher, small)).response?.body).toHaveLength(20 * KIB)

    fetcher.bodyBudget.release(400 * KIB)
    large.finish()
    expect((await stuck).response?.body).toHaveLength(250 * KIB)
    expect(heldBy(fetcher)).toBe(0)
  })

  it('is dropped, the largest first, when all wait for each other; the others come', async () => {
    const fetcher = budgeted()
    const site = await says(ok(Buffer.alloc(250 * KIB, 'x')))
    const ends = await Promise.all(Array.from({ length: 12 }, () => exchange(fetcher, site)))
    const refused = ends.filter(({ failure }) => failure !== undefined)

    expect(refused.length).toBeGreaterThan(0)
    for (const { failure } of refused) expect(failure).toMatchObject({ code: 'AVO_BODY_BUDGET', blame: 'local', sent: true })
    expect(ends.length - refused.length).toBeGreaterThan(0)
    expect(heldBy(fetcher)).toBe(0)
  })

  it('fails for good, as its own fault, if it would not fit alone', async () => {
    const fetcher = budgeted()
    const site = await says(ok(Buffer.alloc(400 * KIB, 'x')))
    const { failure } = await exchange(fetcher, site)
    expect(failure).toMatchObject({ code: 'AVO_BODY_BUDGET', blame: 'url', phase: 'body' })
    expect(failure?.message).toMatch(/do not fit, even alone, in bodyBudgetBytes \(1048576\)/)
    expect(heldBy(fetcher)).toBe(0)
  })

  it('is nobody’s fault when its server hangs up meanwhile', async () => {
    const fetcher = budgeted()
    fetcher.bodyBudget.acquire(800 * KIB)
    const site = await partly(250 * KIB, 200 * KIB)
    const coming = exchange(fetcher, site.url)
    await until(() => fetcher.bodyBudget.waiting === 1)
    site.reset()
    fetcher.bodyBudget.release(800 * KIB)
    expect((await coming).failure).toMatchObject({ code: 'AVO_BODY_BUDGET', blame: 'local' })
    expect(heldBy(fetcher)).toBe(0)
  })

  it('of many small chunks is not counted as framing for being put back and read again', async () => {
    const fetcher = budgeted()
    const piece = Buffer.from('1\r\nx\r\n'.repeat(2_000))
    const site = await tcp((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        for (let n = 0; n < 100; n++) socket.write(piece)
        socket.write('0\r\n\r\n')
      })
    })
    fetcher.bodyBudget.acquire(752 * KIB)
    const coming = exchange(fetcher, site)
    for (let n = 0; n < 40; n++) {
      await until(() => fetcher.bodyBudget.waiting === 1)
      fetcher.bodyBudget.release(4 * KIB)
      await new Promise((next) => setImmediate(next))
    }
    fetcher.bodyBudget.release(592 * KIB)
    expect((await coming).response?.body).toHaveLength(200_000)
  })
})

describe('nothing stays counted', () => {
  const page = Buffer.alloc(250 * KIB, randomBytes(90_000).toString('base64'))
  const zipped = gzipSync(page)
  const field = 'Content-Encoding: gzip\r\n'

  it.each([
    ['a page', () => says(ok('page')), undefined],
    ['a decoded page', () => says(ok(zipped, field)), undefined],
    ['a body cut short', () => says(`HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n${'x'.repeat(80_000)}`), 'AVO_TRUNCATED'],
    ['a coding cut short', () => says(ok(zipped.subarray(0, 70_000), field)), 'AVO_TRUNCATED'],
    ['a bomb', () => says(ok(gzipSync(Buffer.alloc(8 * MIB)), field)), 'AVO_DECODE_RATIO'],
    ['a body that stops', async () => (await partly(90_000, 80_000)).url, 'AVO_IDLE_TIMEOUT'],
    ['a reset', () => says(`HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n${'x'.repeat(80_000)}`, 'reset'), 'AVO_RESET'],
  ])('after %s', async (_what, serve, code) => {
    const fetcher = fetcherOf({ bodyBudgetBytes: 64 * MIB })
    const { failure } = await exchange(fetcher, await serve(), { limits: { idleMs: 300 } })
    expect(failure?.code).toBe(code)
    expect(heldBy(fetcher)).toBe(0)
  })

  it('after an abort while reading, while waiting, and while decoding', async () => {
    const fetcher = budgeted()
    const site = await partly(250 * KIB, 200 * KIB)
    const ask = (url: string): (() => void) =>
      fetcher.fetch(outbound(url), { sent() {}, headers: () => 'read', done() {}, failed() {} })
    const reading = ask(site.url)
    await until(() => heldBy(fetcher) > 100 * KIB)
    reading()
    expect(heldBy(fetcher)).toBe(0)

    fetcher.bodyBudget.acquire(800 * KIB)
    const waiting = ask(site.url)
    await until(() => fetcher.bodyBudget.waiting === 1)
    waiting()
    expect(fetcher.bodyBudget.waiting).toBe(0)
    expect(heldBy(fetcher)).toBe(800 * KIB)

    fetcher.bodyBudget.release(500 * KIB)
    const decoding = ask(await says(ok(zipped, field)))
    await until(() => heldBy(fetcher) > 300 * KIB + zipped.length)
    decoding()
    expect(heldBy(fetcher)).toBe(300 * KIB)
    fetcher.bodyBudget.release(300 * KIB)
  })

  it('until the receiver has returned, and not after', async () => {
    const fetcher = budgeted()
    const site = await says(ok('page'))
    let during = 0
    await new Promise<void>((resolve) => {
      fetcher.fetch(outbound(site), {
        sent() {},
        headers: () => 'read',
        done() {
          during = heldBy(fetcher)
          resolve()
        },
        failed() {},
      })
    })
    expect(during).toBe(4)
    expect(heldBy(fetcher)).toBe(0)
  })
})
