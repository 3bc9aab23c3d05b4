// Servers that misbehave: each ends as one failure with its code, and hurts nobody else.
import type { FailureCode } from '@avocet/core/plugin'
import { randomBytes } from 'node:crypto'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exchange, fetcherOf, floods, ok, onRequest, says, tcp, textOf, type Ask, type Outcome } from './web.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
/** Short limits, so that what never ends is seen to end. */
const SHORT = { connectMs: 150, firstByteMs: 150, idleMs: 150, totalMs: 400 }

/** Asks the hostile site, then a healthy one with the same fetcher: that must always work. */
async function meet(site: string, ask: Ask = { limits: SHORT }): Promise<Outcome> {
  const fetcher = fetcherOf({ throughputWindowMs: 100 })
  const outcome = await exchange(fetcher, site, ask)
  const neighbour = await exchange(fetcher, await says(ok('healthy')))
  expect(textOf(neighbour)).toBe('healthy')
  expect(fetcher.connections?.().busy).toBe(0)
  return outcome
}

async function expectCode(site: string, code: FailureCode, ask?: Ask): Promise<Outcome> {
  const outcome = await meet(site, ask)
  expect(outcome.failure).toMatchObject({ code })
  expect(outcome.calls.at(-1)).toBe('failed')
  return outcome
}

async function expectPage(site: string, text: string, ask?: Ask): Promise<void> {
  expect(textOf(await meet(site, ask))).toBe(text)
}

describe('connection', () => {
  it('[1] refused', async () => {
    const { failure } = await expectCode('http://127.0.0.1:9999', 'AVO_CONNECT_REFUSED')
    expect(failure).toMatchObject({ phase: 'connect', sent: false, blame: 'host' })
  })
  it('[3] accepts and stays silent', async () => {
    const { failure } = await expectCode(await tcp(() => {}), 'AVO_FIRST_BYTE_TIMEOUT')
    expect(failure).toMatchObject({ phase: 'firstByte', sent: true })
  })
  it('[4] closes after the request', async () => {
    await expectCode(await says(''), 'AVO_CLOSED_EARLY')
  })
  it('[5] resets after the request', async () => {
    await expectCode(await says('', 'reset'), 'AVO_RESET')
  })
  it('[6] closes when a kept connection is used again', async () => {
    const site = await tcp((socket) => {
      onRequest(socket, (request) => (request === 1 ? socket.write(ok('first')) : socket.destroy()))
    })
    const fetcher = fetcherOf()
    await exchange(fetcher, site)
    const second = await exchange(fetcher, site)
    const third = await exchange(fetcher, site)
    expect(second.failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local', sent: true })
    expect(second.failure?.timings?.reusedSocket).toBe(true)
    expect(textOf(third)).toBe('first')
  })
  it('[7] closes a kept connection while it is idle', async () => {
    const site = await tcp((socket) => onRequest(socket, () => socket.end(ok('x'))))
    const fetcher = fetcherOf()
    const codes: (string | undefined)[] = []
    for (let i = 0; i < 100; i += 1) codes.push((await exchange(fetcher, site)).failure?.code)
    // Only the race that nobody can win is lost, and never twice in a row: the next attempt has a fresh connection.
    expect(codes.filter((code) => code !== undefined && code !== 'AVO_STALE_SOCKET')).toEqual([])
    expect(codes.some((code, i) => code !== undefined && codes[i + 1] !== undefined)).toBe(false)
  })
  it('[8] answers before it is asked', async () => {
    const { failure } = await expectCode(await tcp((socket) => socket.write(ok('ok'))), 'AVO_PROTOCOL')
    expect(failure?.sent).toBe(false)
  })
  it('[9] greets as something else', async () => {
    await expectCode(await tcp((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')), 'AVO_PROTOCOL')
  })
  it('closes before it is asked', async () => {
    await expectCode(await tcp((socket) => socket.end()), 'AVO_CLOSED_EARLY')
  })
})

describe('status line and headers', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['[26] HTTP/0.9', '<html>hello</html>'],
    ['[27] ICY', 'ICY 200 OK\r\n\r\nhi'],
    ['[28] version 3.7', 'HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['[28] status 0', 'HTTP/1.1 0 x\r\nContent-Length: 2\r\n\r\nok'],
    ['[28] status 20000', 'HTTP/1.1 20000 x\r\nContent-Length: 2\r\n\r\nok'],
    ['[31] header without colon', `${HEAD}Broken\r\nContent-Length: 2\r\n\r\nok`],
    ['[31] empty name', `${HEAD}: 1\r\nContent-Length: 2\r\n\r\nok`],
    ['[32] NUL in a header', `${HEAD}X: a\0b\r\nContent-Length: 2\r\n\r\nok`],
    ['[25] upgrade that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello'],
    ['[43] two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 5\r\n\r\nok`],
    ['[43] list of lengths that differ', `${HEAD}Content-Length: 2, 5\r\n\r\nok`],
    ['[43] negative length', `${HEAD}Content-Length: -1\r\n\r\nok`],
    ['[43] length of 2^64 - 1', `${HEAD}Content-Length: 18446744073709551615\r\n\r\nok`],
    ['[43] length with a plus', `${HEAD}Content-Length: +2\r\n\r\nok`],
    ['[44] length and chunks', `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['[45] unknown transfer coding', `${HEAD}Transfer-Encoding: xchunked\r\n\r\nok`],
    ['[46] chunk size that is no number', `${HEAD}Transfer-Encoding: chunked\r\n\r\nZZ\r\nok\r\n0\r\n\r\n`],
    ['[46] chunk size that overflows', `${HEAD}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nok\r\n`],
    ['[46] negative chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n-1\r\nok\r\n`],
    ['[61] range that nobody asked for', 'HTTP/1.1 206 x\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nok'],
  ]
  it.each(refused)('%s', async (_name, answer) => {
    await expectCode(await says(answer), 'AVO_PROTOCOL')
  })

  const odd: readonly (readonly [string, string])[] = [
    ['[29] lines that end in LF alone', 'HTTP/1.1 200 OK\nX: a\nContent-Length: 2\n\nok'],
    ['[30] folded fields', `${HEAD}X: a\r\n\t b\r\n  c\r\nContent-Length: 2\r\n\r\nok`],
    ['[31] space before colon', `${HEAD}X : a\r\nContent-Length \t: 2\r\n\r\nok`],
    ['[43] two equal lengths', `${HEAD}X: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
    ['[43] list of equal lengths', `${HEAD}X: a\r\nContent-Length: 2, 2\r\n\r\nok`],
  ]
  it.each(odd)('%s: read from the second request on, in one piece or in many', async (_name, answer) => {
    const fetcher = fetcherOf()
    const site = await says(answer, 'keep')
    const first = await exchange(fetcher, site)
    const second = await exchange(fetcher, site)
    const third = await exchange(fetcher, site)
    expect(first.failure?.code).toBe('AVO_PROTOCOL')
    expect(textOf(second)).toBe('ok')
    expect(second.response?.headers['x']).toMatch(/^a(?: b c)?$/)
    expect(third.response?.timings.reusedSocket).toBe(true)

    const inPieces = await tcp((socket) => {
      const pieces = answer.split(/(?<=HTTP\/1|X|\n)/)
      const next = (): unknown => pieces.length > 0 && socket.write(pieces.shift() ?? '', () => setTimeout(next, 5))
      onRequest(socket, next)
    })
    expect((await exchange(fetcher, inPieces)).failure?.code).toBe('AVO_PROTOCOL')
    const read = await exchange(fetcher, inPieces)
    expect(read.failure).toBeUndefined()
    expect(textOf(read)).toBe('ok')
  })
  it.each(refused)('%s: refused also by the origin whose heads are odd', async (_name, answer) => {
    const fetcher = fetcherOf()
    const site = await says(answer)
    await exchange(fetcher, site)
    expect((await exchange(fetcher, site)).failure?.code).toBe('AVO_PROTOCOL')
  })

  it('[16] header that drips', async () => {
    const site = await tcp((socket) => {
      onRequest(socket, () => {
        socket.write(`${HEAD}X: `)
        const drip = setInterval(() => socket.write('a'), 20)
        socket.on('close', () => clearInterval(drip))
      })
    })
    await expectCode(site, 'AVO_FIRST_BYTE_TIMEOUT')
  })
  it('[17] header without an end', async () => {
    await expectCode(await floods(`${HEAD}X: `, 'a'.repeat(1_000)), 'AVO_HEADERS_TOO_LARGE')
  })
  it('[18] header of 17,000 bytes', async () => {
    await expectPage(await says(ok('ok', `X: ${'a'.repeat(17_000)}\r\n`)), 'ok')
  })
  it('[19] 5,000 header fields', async () => {
    const fields = Array.from({ length: 5_000 }, (_, n) => `X${n}: 1\r\n`).join('')
    await expectCode(await says(ok('ok', fields)), 'AVO_HEADERS_TOO_LARGE')
  })
  it('[20] 400 cookies', async () => {
    const outcome = await meet(await says(ok('ok', 'Set-Cookie: c=v\r\n'.repeat(400))))
    expect(outcome.response?.headers['set-cookie']).toHaveLength(400)
  })
  it('[20] of 600 cookies the first 500 are kept, and the page is', async () => {
    const cookies = Array.from({ length: 600 }, (_, n) => `Set-Cookie: c${n}=v\r\n`).join('')
    const outcome = await meet(await says(ok('ok', cookies)))

    expect(textOf(outcome)).toBe('ok')
    expect(outcome.response?.headers['set-cookie']).toHaveLength(500)
    expect(outcome.response?.headers['set-cookie']?.[499]).toBe('c499=v')
  })
  it('[20] of 600 cookies and 501 other fields the page is not kept', async () => {
    const cookies = 'Set-Cookie: c=v\r\n'.repeat(600)
    const fields = Array.from({ length: 501 }, (_, n) => `X${n}: 1\r\n`).join('')
    await expectCode(await says(ok('ok', cookies + fields)), 'AVO_HEADERS_TOO_LARGE')
  })
  it('[23] flood of interim responses', async () => {
    await expectCode(await floods('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000)), 'AVO_INTERIM_FLOOD')
  })
  it('[23] interim responses that drip', async () => {
    const site = await tcp((socket) => {
      onRequest(socket, () => {
        const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20)
        socket.on('close', () => clearInterval(drip))
      })
    })
    await expectCode(site, 'AVO_FIRST_BYTE_TIMEOUT')
  })
  it('some interim responses', async () => {
    await expectPage(await says(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok('ok').toString()}`), 'ok')
  })
  it('[24] unrequested 100 Continue', async () => {
    await expectPage(await says(`HTTP/1.1 100 Continue\r\n\r\n${ok('ok').toString()}`), 'ok')
  })
  it('[24] 100 Continue in a segment of its own', async () => {
    const site = await tcp((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n')
        setTimeout(() => socket.write(ok('ok')), 30)
      })
    })
    await expectPage(site, 'ok')
  })
  it.each([3, 9, 12, 14, 20, 24])('[24] 100 Continue whose first %i bytes are a segment of their own', async (cut) => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${ok('ok').toString()}`
    const site = await tcp((socket) => {
      socket.setNoDelay(true)
      onRequest(socket, () => {
        socket.write(text.slice(0, cut))
        setTimeout(() => socket.write(text.slice(cut)), 30)
      })
    })
    await expectPage(site, 'ok')
  })
  it('[24] the first bytes of an answer as a segment of their own', async () => {
    const site = await tcp((socket) => {
      socket.setNoDelay(true)
      onRequest(socket, () => {
        socket.write('HTTP/1.1')
        setTimeout(() => socket.write(ok('ok').subarray(8)), 30)
      })
    })
    await expectPage(site, 'ok')
  })
  it('[24] 100 Continue without an end', async () => {
    await expectCode(await floods('HTTP/1.1 100 Continue\r\nX: ', 'a'.repeat(1_000)), 'AVO_HEADERS_TOO_LARGE')
  })
  it('[24] flood of 100 Continue', async () => {
    await expectCode(await floods('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)), 'AVO_PROTOCOL')
  })
  it('[28] status 999', async () => {
    const { response } = await meet(await says('HTTP/1.1 999 Request denied\r\nContent-Length: 0\r\n\r\n'))
    expect(response?.status).toBe(999)
  })
  it('[33] header in UTF-8 keeps its bytes', async () => {
    const { response } = await meet(await says(ok('', 'Location: /caf\u00c3\u00a9\r\n').toString('utf8')))
    expect(response?.headers['location']).toBeTypeOf('string')
  })
  it('a header called __proto__ is a field like others', async () => {
    const { response } = await meet(await says(ok('', '__proto__: x\r\n')))
    expect(Object.getPrototypeOf(response?.headers)).toBe(Object.prototype)
  })
})

describe('body framing', () => {
  it('[37] body that drips', async () => {
    const site = await tcp((socket) => {
      onRequest(socket, () => {
        socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
        const drip = setInterval(() => socket.write('1\r\na\r\n'), 50)
        socket.on('close', () => clearInterval(drip))
      })
    })
    await expectCode(site, 'AVO_TOO_SLOW', { limits: { ...SHORT, minBytesPerSecond: 64 } })
    const { failure } = await expectCode(site, 'AVO_TOTAL_TIMEOUT', { limits: { ...SHORT, minBytesPerSecond: 0 } })
    expect(failure).toMatchObject({ phase: 'body', sent: true })
    expect(failure?.wireBytes).toBeGreaterThan(3)
  })
  it('[38] body without an end', async () => {
    const { failure } = await expectCode(await floods(`${HEAD}\r\n`, Buffer.alloc(65_536, 'a')), 'AVO_BODY_TOO_LARGE', {})
    expect(failure?.wireBytes).toBeLessThan(11 * 2 ** 20)
  })
  it('announced body above the limit is not read at all', async () => {
    const { failure } = await expectCode(
      await floods(`${HEAD}Content-Length: 99999999\r\n\r\n`, Buffer.alloc(65_536, 'a')),
      'AVO_BODY_TOO_LARGE',
      {},
    )
    expect(failure?.wireBytes).toBe(0)
  })
  it('[39] body that stops', async () => {
    const { failure } = await expectCode(
      await says(`${HEAD}Content-Length: 1000\r\n\r\n${'a'.repeat(500)}`, 'keep'),
      'AVO_IDLE_TIMEOUT',
    )
    expect(failure).toMatchObject({ phase: 'body', wireBytes: 500 })
  })
  it('[40] body shorter than its length', async () => {
    await expectCode(await says(`${HEAD}Content-Length: 100\r\n\r\nabc`), 'AVO_TRUNCATED')
  })
  it('[40] body shorter than its length, on a connection to be closed', async () => {
    await expectCode(await says(`${HEAD}Connection: close\r\nContent-Length: 100\r\n\r\nabc`), 'AVO_TRUNCATED')
  })
  it('body ended by a reset', async () => {
    await expectCode(await says(`${HEAD}Content-Length: 100\r\n\r\nabc`, 'reset'), 'AVO_RESET')
  })
  it('[41] body longer than its length', async () => {
    await expectPage(await says(`${HEAD}Content-Length: 2\r\n\r\nokEXTRA`, 'keep'), 'ok')
  })
  it.each([0, 30])('[42] forged second answer after %i ms is never taken for one', async (delayMs) => {
    const site = await tcp((socket, connection) => {
      onRequest(socket, () => {
        socket.write(`${HEAD}Content-Length: 2\r\n\r\n${connection}.`)
        if (delayMs === 0) socket.write(ok('FORGED'))
        else setTimeout(() => socket.write(ok('FORGED')), delayMs)
      })
    })
    const fetcher = fetcherOf()
    const pages: (string | undefined)[] = [textOf(await exchange(fetcher, site))]
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, 2 * delayMs))
    pages.push(textOf(await exchange(fetcher, site)))
    expect(pages).toEqual(['1.', '2.'])
  })
  it('[47] chunk extension without an end', async () => {
    await expectCode(await floods(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1;`, 'a'.repeat(10_000)), 'AVO_PROTOCOL', {})
  })
  it('[48] chunks without the last one', async () => {
    await expectCode(await says(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`), 'AVO_TRUNCATED')
  })
  it('[49] 100,000 chunks of one byte', async () => {
    const body = '1\r\na\r\n'.repeat(100_000)
    const outcome = await meet(await says(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`), {})
    expect(outcome.response?.body).toHaveLength(100_000)
  })
  it('[50] trailer without an end', async () => {
    await expectCode(
      await floods(`${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n`, `X: ${'a'.repeat(1_000)}\r\n`),
      'AVO_HEADERS_TOO_LARGE',
    )
  })
  it.each(['end', 'keep'] as const)('[51] 304 with a length, then %s', async (then) => {
    const { response } = await meet(await says('HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n', then))
    expect(response?.status).toBe(304)
  })
  it('[51] 204 with a body', async () => {
    const { response } = await meet(await says('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 'keep'))
    expect(response).toMatchObject({ status: 204, wireBytes: 0 })
  })
  it('[52] HEAD answered with a body', async () => {
    const { response } = await meet(await says(ok('hello', 'Content-Encoding: gzip\r\n'), 'keep'), { method: 'HEAD' })
    expect(response).toMatchObject({ status: 200, wireBytes: 0 })
  })
  it('body that ends with the connection', async () => {
    await expectPage(await says('HTTP/1.0 200 OK\r\n\r\nold'), 'old')
  })
})

describe('content coding', () => {
  const page = Buffer.from('<p>a page</p>'.repeat(2_000))
  const coded = (coding: string, body: Buffer): Promise<string> => says(ok(body, `Content-Encoding: ${coding}\r\n`))

  it.each([
    ['gzip', zlib.gzipSync(page)],
    ['x-gzip', zlib.gzipSync(page)],
    ['deflate', zlib.deflateSync(page)],
    ['deflate', zlib.deflateRawSync(page)],
    ['br', zlib.brotliCompressSync(page)],
    ['zstd', zlib.zstdCompressSync(page)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(page))],
    ['identity', page],
  ])('%s', async (coding, body) => {
    const { response } = await meet(await coded(coding, body))
    expect(Buffer.from(response?.body ?? []).equals(page)).toBe(true)
    expect(response?.wireBytes).toBe(body.length)
  })
  it('large body is decoded as well', async () => {
    const large = randomBytes(300_000)
    const { response } = await meet(await coded('gzip', zlib.gzipSync(large)), {})
    expect(Buffer.from(response?.body ?? []).equals(large)).toBe(true)
  })

  // 300 MB of zeros: 154 bytes after gzip and brotli, 291,608 after gzip alone.
  const twice = Buffer.from(
    'WxdzhF984pj/1kUtmIlNa0zgNTVYno92PhtYhVf/dIPTiCPBBCTCMAAcwxuAABCA6P/2AEBZpQMAiKT9iEAAkG/9DY50JrZwDwDysxKJAACq/4nTEzRwDwASPC4Z' +
      'API/MakliBWDmo/gHgBcc1lyECXPrRmFewAw/h8KAkGuViCYfj+ScB9TBwAA+Te3apgpSOXbCI3Lb/R3Ag==',
    'base64',
  )
  const once = zlib.brotliDecompressSync(twice)
  const zeros = Buffer.alloc(8_000_000)
  it.each([
    ['[53] gzip', 'gzip', once, 'AVO_DECODED_TOO_LARGE'],
    ['[53] small gzip', 'gzip', zlib.gzipSync(zeros), 'AVO_DECODE_RATIO'],
    ['[54] gzip in br', 'gzip, br', twice, 'AVO_DECODE_RATIO'],
    ['[55] br', 'br', zlib.brotliCompressSync(zeros), 'AVO_DECODE_RATIO'],
    ['[55] zstd', 'zstd', zlib.zstdCompressSync(zeros), 'AVO_DECODE_RATIO'],
    ['[55] raw deflate', 'deflate', zlib.deflateRawSync(zeros), 'AVO_DECODE_RATIO'],
  ] as const)('%s bomb', async (_name, coding, bomb, code) => {
    await expectCode(await coded(coding, bomb), code, {})
  })
  it('[53] bomb costs its cap in memory, not its size', async () => {
    const site = await coded('gzip', once)
    const before = process.memoryUsage().rss
    await expectCode(site, 'AVO_DECODED_TOO_LARGE', {})
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })
  it('[56] 20 codings', async () => {
    await expectCode(await coded(Array(20).fill('gzip').join(', '), page), 'AVO_ENCODING_CHAIN')
  })
  it('[57] label that lies', async () => {
    await expectCode(await coded('gzip', page), 'AVO_DECODE_FAILED')
  })
  it.each([-1, -3, -4, -5, -7, -8])('[58] gzip that ends within its checksum is a page, %i', async (end) => {
    await expectPage(await coded('gzip', zlib.gzipSync(page).subarray(0, end)), page.toString())
  })
  it.each([-1, -3, -4])('[58] deflate that ends within its checksum is a page, %i', async (end) => {
    await expectPage(await coded('deflate', zlib.deflateSync(page).subarray(0, end)), page.toString())
  })
  it('[58] gzip or deflate without the end of its data, or with a wrong checksum', async () => {
    await expectCode(await coded('gzip', zlib.gzipSync(page).subarray(0, -9)), 'AVO_TRUNCATED')
    await expectCode(await coded('deflate', zlib.deflateSync(page).subarray(0, -5)), 'AVO_TRUNCATED')
    const damaged = zlib.gzipSync(page)
    damaged.writeUInt32LE(0, damaged.length - 8)
    await expectCode(await coded('gzip', damaged.subarray(0, -4)), 'AVO_DECODE_FAILED')
  })
  it('[58] gzip whose second member is cut', async () => {
    const second = zlib.gzipSync('two').subarray(0, -1)
    await expectCode(await coded('gzip', Buffer.concat([zlib.gzipSync('one'), second])), 'AVO_TRUNCATED')
  })
  it('[59] two gzip members', async () => {
    await expectPage(await coded('gzip', Buffer.concat([zlib.gzipSync('one'), zlib.gzipSync('two')])), 'onetwo')
  })
  it('[59] garbage after gzip', async () => {
    await expectPage(await coded('gzip', Buffer.concat([zlib.gzipSync('one'), Buffer.from('garbage')])), 'one')
  })
  it('[59] garbage after gzip that is damaged as well', async () => {
    const damaged = zlib.gzipSync('one')
    damaged.writeUInt32LE(0, damaged.length - 8)
    await expectCode(await coded('gzip', Buffer.concat([damaged, Buffer.from('garbage')])), 'AVO_DECODE_FAILED')
  })
  it('[59] gzip with every optional header field, and garbage after it', async () => {
    const plain = zlib.gzipSync('one')
    const fields = Buffer.concat([
      Buffer.from([3, 0, 1, 2, 3]),
      Buffer.from(`${'n'.repeat(100_000)}\0comment\0`),
      Buffer.from([0, 0]),
    ])
    const head = Buffer.from(plain.subarray(0, 10))
    head[3] = 2 + 4 + 8 + 16
    const crc = zlib.crc32(Buffer.concat([head, fields.subarray(0, -2)])) & 0xffff
    fields.writeUInt16LE(crc, fields.length - 2)
    await expectPage(await coded('gzip', Buffer.concat([head, fields, plain.subarray(10), Buffer.from('garbage')])), 'one')
  })
  it.each(['aws-chunked', 'utf-8', 'none', ''])('[60] unknown coding "%s" is not guessed at', async (coding) => {
    await expectPage(await coded(coding, Buffer.from('plain')), 'plain')
  })
  it('empty body with a coding', async () => {
    await expectPage(await coded('gzip', Buffer.alloc(0)), '')
  })
})
