// Bodies that are saved, over real sockets: as they come, past memory, and with one end whatever happens.
import type { Response } from '@avocet/core'
import type { Failure } from '@avocet/core/plugin'
import { failure, type Fetcher, type TimeLimits } from '@avocet/core/store'
import { createHash, randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { WatchedSaver, type WatchedSaverOptions } from '@avocet/stress/fetcher'
import { describe, expect, it } from 'vitest'
import { fetcherOf, ok, onRequest, outbound, says, tcp } from './web.ts'

const KIB = 2 ** 10
const MIB = 2 ** 20
const PIECE = Buffer.alloc(64 * KIB, 'avocet ')

interface SavedExchange {
  readonly calls: string[]
  readonly ended: Promise<{ readonly response?: Response; readonly failure?: Failure }>
  readonly abort: () => void
}

function save(
  fetcher: Fetcher,
  url: string,
  saver: WatchedSaver,
  how: { limits?: Partial<TimeLimits>; method?: string } = {},
): SavedExchange {
  const calls: string[] = []
  let settle: (end: { response?: Response; failure?: Failure }) => void = () => {}
  const ended = new Promise<{ readonly response?: Response; readonly failure?: Failure }>((resolve) => (settle = resolve))
  const asked = { ...outbound(url, { headers: { ...saver.headers }, ...how }), save: saver }
  const abort = fetcher.fetch(asked, {
    sent: () => calls.push('sent'),
    headers() {
      calls.push('headers')
      return 'read'
    },
    done(response) {
      calls.push('done')
      settle({ response })
    },
    failed(cause) {
      calls.push('failed')
      settle({ failure: cause })
    },
  })
  return { calls, ended, abort }
}

const fetched = (
  fetcher: Fetcher,
  url: string,
  options: WatchedSaverOptions = {},
): Promise<{ end: Awaited<SavedExchange['ended']>; saver: WatchedSaver }> => {
  const saver = new WatchedSaver(options)
  return save(fetcher, url, saver).ended.then((end) => ({ end, saver }))
}

/** Resolves when `holds`; looks once a turn of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((next) => setImmediate(next))
}

/** Bytes in buffers that somebody still refers to. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().arrayBuffers
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A server that sends `pieces` pieces as fast as they are taken; `sent` are those that it got rid of. */
async function sends(
  pieces: number,
  announced = pieces * PIECE.length,
): Promise<{ readonly url: string; readonly sentBytes: () => number }> {
  let left = pieces
  const url = await tcp((socket) => {
    const more = (): void => {
      while (left > 0) {
        left--
        if (!socket.write(PIECE)) return
      }
      socket.end()
    }
    socket.on('drain', more)
    onRequest(socket, () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${announced}\r\n\r\n`)
      more()
    })
  })
  return { url, sentBytes: () => (pieces - left) * PIECE.length }
}

describe('a body that is saved', () => {
  it('passes by the memory: 64 MiB through a fetcher whose bodies may have 10 MiB, nothing of it counted or kept', async () => {
    const fetcher = fetcherOf()
    const { url } = await sends(1_024)
    const saver = new WatchedSaver({ fullEvery: 8 * MIB, drainsByHand: true })
    const before = liveBytes()
    const { ended } = save(fetcher, url, saver)
    const lives: number[] = []
    for (let full = 1; full < 8; full++) {
      await until(() => saver.bytes >= full * 8 * MIB)
      lives.push(liveBytes() - before)
      expect(fetcher.bodyBudget?.heldBytes).toBe(0)
      await new Promise((next) => setImmediate(next))
      saver.drain()
    }
    const { response } = await ended

    expect(response).toMatchObject({ status: 200, wireBytes: 64 * MIB, saved: { bytes: 64 * MIB } })
    expect(response?.body).toHaveLength(0)
    expect(saver.calls).toEqual(['accepts', 'write', 'end'])
    // Of the 56 MiB that have come by then. Both ends of the connection are in this process, with what each sends ahead.
    expect(Math.max(...lives)).toBeLessThan(16 * MIB)
  })

  it('is what the server sent, byte for byte, also in a content coding and past the limit on decoded bytes', async () => {
    const body = gzipSync(randomBytes(300 * KIB))
    const url = await says(ok(body, 'Content-Encoding: gzip\r\n'))
    const { end } = await fetched(fetcherOf({ limits: { maxWireBytes: KIB, maxDecodedBytes: KIB } }), url, {
      fullEvery: 10 * KIB,
    })
    expect(end.response?.saved).toEqual({ path: `${sha256(body)}.bin`, sha256: sha256(body), bytes: body.length })
  })

  it.each(['', 'x'])('may be as small as %o', async (body) => {
    const { end, saver } = await fetched(fetcherOf(), await says(ok(body)))
    expect(end.response?.saved?.sha256).toBe(sha256(Buffer.from(body)))
    expect(saver.calls).toEqual(['accepts', ...(body === '' ? [] : ['write']), 'end'])
  })

  it('ends with the connection where neither length nor chunks say how long it is', async () => {
    const { end } = await fetched(fetcherOf(), await says('HTTP/1.1 200 OK\r\n\r\nup to the end'))
    expect(end.response?.saved?.bytes).toBe(13)
  })

  it('is a part with status 206, where a range was requested', async () => {
    const url = await says('HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\nworld')
    const { end } = await fetched(fetcherOf(), url, { headers: { range: 'bytes=5-' } })
    expect(end.response).toMatchObject({ status: 206, saved: { bytes: 5 } })
  })

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['GET', 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone'],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
    ['GET', 'HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n'],
  ])('is not asked about where there is none: %s %s', async (method, answer) => {
    const saver = new WatchedSaver()
    const { response } = await save(fetcherOf(), await says(answer), saver, { method }).ended
    expect(response?.saved).toBeUndefined()
    expect(saver.calls).toEqual([])
  })

  it('is read like any other where its saver says so, under the limits of the fetcher', async () => {
    const word = { accepts: () => 'read' as const, maxBytes: 2 }
    const page = await fetched(fetcherOf(), await says(ok(gzipSync('a page'), 'Content-Encoding: gzip\r\n')), word)
    expect(Buffer.from(page.end.response?.body ?? []).toString()).toBe('a page')
    expect(page.saver.calls).toEqual(['accepts'])
    const large = await fetched(fetcherOf({ limits: { maxWireBytes: 10 } }), await says(ok('more than ten')), {
      ...word,
      maxBytes: 100,
    })
    expect(large.end.failure?.code).toBe('AVO_BODY_TOO_LARGE')
  })

  it('is not begun where its saver wants another one', async () => {
    const wrong = failure('AVO_FILE_TYPE', 'expected image/*, got text/html')
    const { end, saver } = await fetched(fetcherOf(), await says(ok('a page'), 'keep'), { accepts: () => wrong })
    expect(end.failure).toMatchObject({ code: 'AVO_FILE_TYPE', blame: 'url', sent: true, phase: 'body', message: wrong.message })
    expect(saver.calls).toEqual(['accepts'])
  })
})

describe('the limits of a saved body', () => {
  it('are its own: announced or not, it ends above them, and never a byte later', async () => {
    const announced = await fetched(fetcherOf(), await says(ok('12345678901')), { maxBytes: 10 })
    expect(announced.end.failure?.code).toBe('AVO_BODY_TOO_LARGE')
    expect(announced.saver.calls).toEqual(['accepts', 'abort'])
    const silent = await fetched(fetcherOf(), await says('HTTP/1.1 200 OK\r\n\r\n12345678901'), { maxBytes: 10 })
    expect(silent.end.failure).toMatchObject({ code: 'AVO_BODY_TOO_LARGE', blame: 'url', wireBytes: 11 })
    expect(silent.saver).toMatchObject({ calls: ['accepts', 'abort'], bytes: 0 })
    const exact = await fetched(fetcherOf(), await says(ok('1234567890')), { maxBytes: 10 })
    expect(exact.end.response?.saved?.bytes).toBe(10)
  })

  it('are not the total time, but the pause between two pieces', async () => {
    const slow = await tcp((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n')
        for (let i = 1; i <= 6; i++) setTimeout(() => socket.write('x'), 100 * i)
      })
    })
    const saver = new WatchedSaver()
    const { response, failure: none } = await save(fetcherOf(), slow, saver, { limits: { totalMs: 250, idleMs: 400 } }).ended
    expect(none).toBeUndefined()
    expect(response?.saved?.bytes).toBe(6)
    const stalls = await says('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nx', 'keep')
    const idle = new WatchedSaver()
    expect((await save(fetcherOf(), stalls, idle, { limits: { idleMs: 150 } }).ended).failure?.code).toBe('AVO_IDLE_TIMEOUT')
    expect(idle.calls).toEqual(['accepts', 'write', 'abort'])
  })

  it('count a page that never begins by the total time, as for any other', async () => {
    const never = await tcp((socket) => onRequest(socket, () => {}))
    const saver = new WatchedSaver()
    expect((await save(fetcherOf(), never, saver, { limits: { totalMs: 150 } }).ended).failure?.code).toBe('AVO_TOTAL_TIMEOUT')
    expect(saver.calls).toEqual([])
  })

  it('do not run while the saver has no room; the server is not read meanwhile', async () => {
    const { url, sentBytes } = await sends(512)
    const saver = new WatchedSaver({ fullEvery: MIB, drainsByHand: true })
    const { ended, calls } = save(fetcherOf(), url, saver, { limits: { idleMs: 300 } })
    await until(() => saver.bytes >= MIB)
    await new Promise((next) => setTimeout(next, 500))
    expect(saver.bytes).toBeLessThan(2 * MIB)
    expect(sentBytes()).toBeLessThan(24 * MIB)
    expect(calls).toEqual(['sent', 'headers'])
    const drains = setInterval(() => saver.drain(), 1)
    const { response } = await ended
    clearInterval(drains)
    expect(response?.saved?.bytes).toBe(32 * MIB)
    expect(response?.timings.waitedMs).toBeGreaterThan(400)
  })

  it('do not run while the saver finishes', async () => {
    const saver = new WatchedSaver({ endsByHand: true })
    const { ended, calls } = save(fetcherOf(), await says(ok('whole')), saver, { limits: { idleMs: 100, totalMs: 100 } })
    await until(() => saver.calls.includes('end'))
    await new Promise((next) => setTimeout(next, 400))
    expect(calls).toEqual(['sent', 'headers'])
    saver.finish()
    const { response } = await ended
    expect(response?.saved?.bytes).toBe(5)
    expect(response?.timings.bodyMs).toBeLessThan(100)
    expect(response?.timings.waitedMs).toBeGreaterThan(300)
  })
})

describe('a saved body that does not come whole', () => {
  it.each([
    ['less than announced', 'AVO_TRUNCATED', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'end'],
    ['a chunk cut short', 'AVO_TRUNCATED', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf', 'end'],
    ['a reset', 'AVO_RESET', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'reset'],
    ['a reset where nothing says how long it is', 'AVO_RESET', 'HTTP/1.1 200 OK\r\n\r\nhalf', 'reset'],
    [
      'a chunk that is none',
      'AVO_PROTOCOL',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nnever\r\n',
      'keep',
    ],
  ] as const)('%s: fails, and its saver keeps what came', async (_name, code, answer, then) => {
    const { end, saver } = await fetched(fetcherOf(), await says(answer, then))
    expect(end.failure).toMatchObject({ code, phase: 'body', sent: true, wireBytes: 4 })
    expect(saver).toMatchObject({ calls: ['accepts', 'write', 'abort'], bytes: 4 })
  })

  it('has no more than what was announced', async () => {
    const { end } = await fetched(fetcherOf(), await says('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwhole and more'))
    expect(end.response?.saved?.bytes).toBe(4)
  })

  it('fails as its saver does while it is written: at once, or when there was to be room', async () => {
    const full = failure('AVO_FILE_UNWRITABLE', 'ENOSPC: no space left on device')
    const { url } = await sends(16)
    const atOnce = await fetched(fetcherOf(), url, { fails: { afterBytes: 100 * KIB, failure: full } })
    expect(atOnce.end.failure).toMatchObject({ code: 'AVO_FILE_UNWRITABLE', blame: 'local', sent: true, message: full.message })
    expect(atOnce.saver.calls).toEqual(['accepts', 'write', 'abort'])
    const later = await fetched(fetcherOf(), (await sends(16)).url, {
      fullEvery: 64 * KIB,
      fails: { afterBytes: 1, failure: full },
    })
    expect(later.end.failure?.code).toBe('AVO_FILE_UNWRITABLE')
    expect(later.saver.calls).toEqual(['accepts', 'write', 'abort'])
  })

  it('fails as its saver does at its end', async () => {
    const { end, saver } = await fetched(fetcherOf(), await says(ok('whole')), { end: failure('AVO_FILE_UNWRITABLE', 'EIO') })
    expect(end.failure).toMatchObject({ code: 'AVO_FILE_UNWRITABLE', wireBytes: 5 })
    expect(saver.calls).toEqual(['accepts', 'write', 'end'])
  })

  it('is complete also where the server closes before the saver has room', async () => {
    const saver = new WatchedSaver({ fullEvery: 10 * KIB, drainsByHand: true })
    const { ended } = save(fetcherOf(), await says(ok(Buffer.alloc(100 * KIB, 'x'))), saver)
    await until(() => saver.bytes >= 10 * KIB)
    const drains = setInterval(() => saver.drain(), 5)
    const { response } = await ended
    clearInterval(drains)
    expect(response?.saved?.bytes).toBe(100 * KIB)
  })
})

describe('an exchange that is aborted', () => {
  it('aborts its saver once: while it reads, and while it waits', async () => {
    const fetcher = fetcherOf()
    const reading = new WatchedSaver()
    const one = save(fetcher, await says('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'keep'), reading)
    await until(() => reading.bytes === 4)
    one.abort()
    one.abort()
    const waiting = new WatchedSaver({ fullEvery: 64 * KIB, drainsByHand: true })
    const other = save(fetcher, (await sends(64)).url, waiting)
    await until(() => waiting.bytes >= 64 * KIB)
    other.abort()
    waiting.drain()
    await fetched(fetcher, await says(ok('a neighbour')))

    expect(reading.calls).toEqual(['accepts', 'write', 'abort'])
    expect(waiting.calls).toEqual(['accepts', 'write', 'abort'])
    expect([...one.calls, ...other.calls].filter((call) => call === 'done' || call === 'failed')).toEqual([])
  })

  it('leaves a saver that finishes to itself, and hears nothing of it', async () => {
    const fetcher = fetcherOf()
    const saver = new WatchedSaver({ endsByHand: true })
    const { abort, calls } = save(fetcher, await says(ok('whole')), saver)
    await until(() => saver.calls.includes('end'))
    abort()
    saver.finish()
    expect(saver.calls).toEqual(['accepts', 'write', 'end'])
    expect(calls).toEqual(['sent', 'headers'])
  })

  it('aborts its saver when the fetcher is closed', async () => {
    const fetcher = fetcherOf()
    const saver = new WatchedSaver()
    const { ended } = save(fetcher, await says('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'keep'), saver)
    await until(() => saver.bytes === 4)
    await fetcher.close()
    expect((await ended).failure?.code).toBe('AVO_ABORTED')
    expect(saver.calls).toEqual(['accepts', 'write', 'abort'])
  })
})
