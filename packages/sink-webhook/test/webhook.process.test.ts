// What a receiver gets, what its answers mean, and what is told of it.
import { createHmac } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { SinkDown, type Sink, type SinkBatch, type SinkItem, type SinkSession } from '@avocet/core/sink'
import { webhook } from '@avocet/sink-webhook'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, vi } from 'vitest'
import { signed } from '../src/options.ts'
import { startReceiver, type Received } from './receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const NOW = 1_800_000_000_500

function batchOf(values: readonly unknown[], signal = new AbortController().signal): SinkBatch<never> {
  const items: SinkItem<never>[] = values.map((value, n) => ({
    ...{ key: `${String(n + 1)}.0.0`, seq: n + 1, url: `https://shop.example/${String(n + 1)}` },
    ...{ json: JSON.stringify(value), value: value as never },
  }))
  return { items, mark: { itemSeq: items.length }, signal }
}

function sessionOf(signal = new AbortController().signal): SinkSession {
  return {
    crawl: { name: 'shop', id: 'c-1' },
    clock: new VirtualClock({ startAt: NOW }),
    signal,
    keep: () => Promise.resolve(),
    problem: () => undefined,
    notice: () => undefined,
  }
}

/** What the sink throws when it opens, or writes this. */
async function failureOf(sink: Sink, batch = batchOf([{ n: 1 }])): Promise<Error & { readonly retryAt?: number | undefined }> {
  try {
    await sink.open?.(sessionOf())
    await sink.write(batch)
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('expected a failure')
}

describe('a webhook', () => {
  it('gets the items with their keys and pages, and a signature that the receiver can check', async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(204).end())
    const sink = webhook({ url: receiver.url, secret: SECRET, headers: { authorization: 'Bearer abcdefgh' } })

    await sink.open?.(sessionOf())
    await sink.write(batchOf([{ name: 'Assam' }, 'a text']))

    const { method, headers, body } = receiver.received[0] as Received
    expect([method, headers['content-type'], headers['authorization']]).toEqual(['POST', 'application/json', 'Bearer abcdefgh'])
    expect(JSON.parse(body)).toEqual({
      type: 'items',
      crawl: { name: 'shop', id: 'c-1' },
      items: [
        { key: '1.0.0', seq: 1, url: 'https://shop.example/1', item: { name: 'Assam' } },
        { key: '2.0.0', seq: 2, url: 'https://shop.example/2', item: 'a text' },
      ],
    })
    const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const expected = createHmac('sha256', Buffer.alloc(32, 7)).update(content).digest('base64')
    expect(headers['webhook-timestamp']).toBe('1800000000')
    expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    expect(headers['idempotency-key']).toBe(`"${String(headers['webhook-id'])}"`)
  })

  it('is signed as the convention says', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', now: 1_614_265_330_999, body: '{"test": 2432232314}' }

    // Source: the test vector of Standard Webhooks.
    expect(signed([key], message)['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect(signed([key, key], message)['webhook-signature']?.split(' ')).toHaveLength(2)
    expect(signed([], message)['webhook-signature']).toBeUndefined()
  })

  it('gets the same idempotency key and body for the same items, another one for others', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    const sink = webhook({ url: receiver.url })
    await sink.open?.(sessionOf())

    for (const values of [[1, 2], [1, 2], [1]]) await sink.write(batchOf(values))

    const [first, second, third] = receiver.received.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`)
    expect(first).toBe(second)
    expect(first?.split(' ')[0]).not.toBe(third?.split(' ')[0])
  })

  it('gets a list of items, or a body of its own', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    const list = webhook({ url: receiver.url, body: 'array' })
    const own = webhook({ url: receiver.url, body: (items) => ({ text: `${String(items.length)} teas` }) })

    for (const sink of [list, own]) {
      await sink.open?.(sessionOf())
      await sink.write(batchOf([{ a: 1 }, [2]]))
    }

    expect(receiver.received.map(({ body }) => body)).toEqual(['[{"a":1},[2]]', '{"text":"2 teas"}'])
  })

  it('is posted to over connections that stay open', async () => {
    await using receiver = await startReceiver((_, response) => response.end('x'.repeat(10_000)))
    const sink = webhook({ url: receiver.url })
    await sink.open?.(sessionOf())
    const before = receiver.connections()

    for (let n = 0; n < 20; n += 1) await sink.write(batchOf([n]))

    expect(receiver.connections() - before).toBeLessThanOrEqual(3)
  })

  it('has the items when it says so, also if the rest of its answer never comes', async () => {
    await using receiver = await startReceiver(
      (_, response) => void response.writeHead(200, { 'content-length': '9' }).write('so'),
    )
    const sink = webhook(receiver.url)
    await sink.open?.(sessionOf())

    for (let n = 0; n < 3; n += 1) await sink.write(batchOf([n]))
    await sink.close?.()

    expect(receiver.received).toHaveLength(3)
  })

  it('that finds a batch too large gets it in halves', async () => {
    await using receiver = await startReceiver(({ body }, response) => {
      response.writeHead((JSON.parse(body) as unknown[]).length > 2 ? 413 : 200).end()
    })
    const sink = webhook({ url: receiver.url, body: 'array' })
    await sink.open?.(sessionOf())

    await sink.write(batchOf([1, 2, 3, 4, 5]))

    expect(receiver.received.map(({ body }) => body)).toEqual(['[1,2,3,4,5]', '[1,2,3]', '[1,2]', '[3]', '[4,5]'])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
  })
})

describe('a webhook that fails', () => {
  it.each([
    [429, { 'retry-after': '120' }, NOW + 120_000],
    [503, { 'retry-after': new Date(NOW + 30_000).toUTCString(), date: new Date(NOW).toUTCString() }, NOW + 30_000],
    [500, { 'retry-after': '7' }, NOW + 7_000],
    [404, {}, undefined],
    [502, {}, undefined],
  ])('with %i %j blames no item, and is tried again at its time', async (status, headers, retryAt) => {
    await using receiver = await startReceiver((_, response) => response.writeHead(status, headers).end('no\n\u0007tea'))

    const error = await failureOf(webhook(receiver.url))

    expect(error).toBeInstanceOf(SinkDown)
    expect(error.message).toMatch(new RegExp(`^expected 2xx of http://127\\.0\\.0\\.1:\\d+, got ${String(status)}: no tea$`))
    if (retryAt === undefined) expect(error.retryAt).toBeUndefined()
    else expect(Math.abs((error.retryAt ?? 0) - retryAt)).toBeLessThan(1_000)
  })

  it.each([400, 409, 422, 500])('with %i may mean one of the items', async (status) => {
    await using receiver = await startReceiver((_, response) => response.writeHead(status).end())

    expect(await failureOf(webhook(receiver.url))).not.toBeInstanceOf(SinkDown)
  })

  it('is not followed to another place', async () => {
    await using elsewhere = await startReceiver((_, response) => response.end())
    await using receiver = await startReceiver((_, response) => response.writeHead(307, { location: elsewhere.url }).end())

    expect((await failureOf(webhook(receiver.url))).message).toContain('got 307; redirects are not followed')
    expect(elsewhere.received).toEqual([])
  })

  it('after it has read, or while it answers for ever, or with garbage, costs one request', async () => {
    const answers: ((response: ServerResponse, request: IncomingMessage) => void)[] = [
      (_, request) => request.socket.destroy(),
      (_, request) => request.socket.end('nonsense\r\n\r\n'),
      (response) => void response.writeHead(500, { 'content-length': '99' }).write('cut off', () => response.destroy()),
      (response) => {
        response.writeHead(500)
        const pour = (): void => void (response.destroyed || (response.write('x'.repeat(65_536)), setImmediate(pour)))
        pour()
      },
    ]
    for (const answer of answers) {
      await using receiver = await startReceiver((_, response, request) => answer(response, request))

      expect((await failureOf(webhook(receiver.url))).message).toMatch(
        /^expected (?:2xx|an answer) of http:\/\/127\.0\.0\.1:\d+, got/,
      )
      expect(receiver.received).toHaveLength(1)
    }
  })

  it('by saying nothing is left when nobody waits for it any more', async () => {
    await using receiver = await startReceiver(() => undefined)
    const impatient = new AbortController()
    const sink = webhook(receiver.url)
    await sink.open?.(sessionOf())

    const writing = Promise.resolve(sink.write(batchOf([1], impatient.signal)))
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1))
    impatient.abort()

    await expect(writing).rejects.toThrow('aborted')
  })

  it('by not being there is found when the sink opens', async () => {
    const receiver = await startReceiver(() => undefined)
    await receiver[Symbol.asyncDispose]()

    const error = await failureOf(webhook(receiver.url))
    expect(error).toBeInstanceOf(SinkDown)
    expect(error.message).toMatch(/^expected an answer of http:\/\/127\.0\.0\.1:\d+, got: connect ECONNREFUSED 127\.0\.0\.1:\d+$/)
  })

  it('is told without the parts of secrets that the receiver quotes', async () => {
    const basic = Buffer.from('ann:hunter2pw').toString('base64')
    const said = ['TOKEN-1234567890', basic, 'hunter2pw', 'key-in-a-field', 'p%40ssword', 'p@ssword']
    await using receiver = await startReceiver((_, response) => response.writeHead(401).end(said.join(' ')))
    const at = (user: string): string => receiver.url.replace('//', `//${user}@`)
    const ofHeaders = { authorization: 'Bearer TOKEN-1234567890', cookie: 'a=key-in-a-field' }

    const messages = []
    for (const sink of [
      webhook({ url: receiver.url, headers: ofHeaders }),
      ...['ann:hunter2pw', 'ann:p%40ssword'].map((user) => webhook(at(user))),
    ])
      messages.push((await failureOf(sink)).message.replace(/^.*got 401: /, ''))

    expect(messages).toEqual([
      `__secret__ ${basic} hunter2pw __secret__ p%40ssword p@ssword`,
      'TOKEN-1234567890 __secret__ __secret__ key-in-a-field p%40ssword p@ssword',
      `TOKEN-1234567890 ${basic} hunter2pw key-in-a-field __secret__ __secret__`,
    ])
  })

  it('is not told what was given for its headers, when that is no object of texts', () => {
    for (const headers of ['authorization: SECRET', { authorization: ['SECRET'] }, ['SECRET']])
      expect(() => webhook({ url: 'http://intranet.example', headers: headers as never })).toThrow(/^(?!.*SECRET).*headers/)
  })

  it('is told without secrets, whatever it says', async () => {
    await using receiver = await startReceiver(({ headers }, response) =>
      response.writeHead(400).end(`${String(headers['authorization'])} /hooks/T0AB-secret-path query-secret ${SECRET}`),
    )
    const sink = webhook({ url: receiver.url, secret: SECRET, headers: { authorization: 'Bearer abcdefgh' } })

    const { message } = await failureOf(sink)

    expect(message).toContain('got 400: __secret__')
    for (const text of [message, JSON.stringify(sink)]) expect(text).not.toMatch(/abcdefgh|secret-path|query-secret|whsec_/)
    for (const wrong of [
      { url: 'hush' },
      { url: 'ftp://hush' },
      { url: receiver.url, secret: 'hush' },
      { url: receiver.url, headers: { a: 'hu\nsh' } },
    ])
      expect(() => webhook(wrong)).toThrow(expect.not.objectContaining({ message: expect.stringMatching(/hu\n?sh/) as string }))
  })
})

describe('a process that posts', () => {
  it('and is killed in between has posted each item at least once in the end', { timeout: 60_000 }, async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    const keys = (): ReadonlySet<string> =>
      new Set(
        receiver.received.flatMap(({ body }) => (JSON.parse(body) as { items: { key: string }[] }).items.map(({ key }) => key)),
      )
    const begin = (from: number) =>
      spawn(
        process.execPath,
        ['--conditions=@avocet/source', join(import.meta.dirname, 'poster.ts'), receiver.url, String(from), '300'],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )

    let mark = 0
    for (let kill = 0; kill < 4; kill += 1) {
      const child = begin(mark)
      child.stdout.on('data', (text: Buffer) => (mark = Number(text.toString().trim().split('\n').at(-1))))
      await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(5 * (kill + 1)), { timeout: 10_000, interval: 1 })
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    const killedAt = keys().size
    await once(begin(mark), 'close')

    expect(killedAt).toBeLessThan(300)
    expect(keys().size).toBe(300)
  })
})
