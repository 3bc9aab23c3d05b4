// What each kind of target gets on the wire, what is tried again, and what no message shows.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { AlertTarget } from '@avocet/plugin-alerts'
import { heartbeat, alertLine, targetsOf } from '../src/targets.ts'

const NOW = 1_800_000_000_000
const clock = { now: () => NOW }
const alert = {
  ...({
    id: 'begun 1 givenUp a.test',
    state: 'begun',
    rule: 'givenUp',
    subjects: ['a.test'],
    more: 0,
    since: NOW,
    at: NOW,
  } as const),
  ...{ text: 'never answered <!channel> & more', crawl: 'prices' },
}
const LINE = 'prices: given up: a.test: never answered <!channel> & more'

/** Sends the alert to a server of HTTP on loopback, which answers so. Returns what it got, and what was thrown. */
async function posted(
  targetOf: (url: string) => AlertTarget,
  status = 200,
): Promise<{ body: unknown; headers: object; error: string; url: string }> {
  let [body, headers]: [string, object] = ['', {}]
  const server = createHttpServer((request, response) => {
    void text(request).then((whole) => {
      ;[body, headers] = [whole, request.headers]
      response.writeHead(status).end('no such hook s3cret-token')
    })
  })
  await using url = await listening(server)
  const [target] = targetsOf([targetOf(`http://127.0.0.1:${url.port}/hooks/s3cret-token`)])
  const error = await target?.send(alert, { clock, signal: AbortSignal.timeout(5_000) }).then(
    () => '',
    (thrown: unknown) => String(thrown),
  )
  return { body: JSON.parse(body || 'null'), headers, error: error ?? '', url: `http://127.0.0.1:${url.port}` }
}

interface Listening extends AsyncDisposable {
  readonly port: number
}

async function listening(server: ReturnType<typeof createHttpServer> | ReturnType<typeof createServer>): Promise<Listening> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A mail server that takes one message, or refuses the password. */
function smtpServer(got: string[], refuses = false): ReturnType<typeof createServer> {
  return createServer((socket: Socket) => {
    let isData = false
    socket.write('220 mail.test ESMTP\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      got.push(bytes.toString())
      if (isData) {
        isData = !bytes.toString().endsWith('\r\n.\r\n')
        if (!isData) socket.write('250 taken\r\n')
        return
      }
      for (const line of bytes
        .toString()
        .split('\r\n')
        .filter((each) => each !== '')) {
        if (/^EHLO/i.test(line)) socket.write('250-mail.test\r\n250 AUTH PLAIN\r\n')
        else if (/^AUTH/i.test(line)) socket.write(refuses ? '535 wrong: user robot, password hunter22\r\n' : '235 welcome\r\n')
        else if (/^DATA/i.test(line)) {
          isData = true
          socket.write('354 go on\r\n')
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else socket.write('250 fine\r\n')
      }
    })
  })
}

describe('a target', () => {
  it('of a webhook gets the alert as JSON, with header fields, and signed if there is a secret', async () => {
    process.env['AVOCET_WEBHOOK_SECRET'] = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const { body, headers } = await posted((webhook) => ({ webhook, headers: { authorization: 'Bearer abc' } })).finally(
      () => delete process.env['AVOCET_WEBHOOK_SECRET'],
    )

    expect(body).toEqual({ type: 'alert', ...alert })
    expect(headers).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json', 'webhook-id': alert.id })
    expect(headers).toHaveProperty('webhook-signature', expect.stringMatching(/^v1,/))
  })

  it('of Slack gets a text that addresses nobody', async () => {
    const { body } = await posted((slack) => ({ slack }))

    expect(body).toEqual({ text: 'prices: given up: a.test: never answered &lt;!channel&gt; &amp; more' })
  })

  it('of Discord gets a content that may mention nobody', async () => {
    const { body } = await posted((discord) => ({ discord }))

    expect(body).toEqual({ content: LINE, allowed_mentions: { parse: [] } })
  })

  it('of Teams gets a card', async () => {
    const { body } = await posted((teams) => ({ teams }))

    expect(body).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: LINE, wrap: true }] },
        },
      ],
    })
  })

  it('of a command gets the alert on its standard input, and fails by its exit code', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
    const file = join(folder, 'alert.json')
    const [writes, fails, none] = targetsOf([
      { command: ['sh', '-c', 'cat > "$0"', file] },
      { command: ['sh', '-c', 'exit 3'] },
      { command: ['/no/such/program'] },
    ])
    const around = { clock, signal: AbortSignal.timeout(5_000) }

    await writes?.send(alert, around)

    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(alert)
    await expect(fails?.send(alert, around)).rejects.toThrow('expected the command sh to end with exit code 0, got 3')
    await expect(none?.send(alert, around)).rejects.toThrow('expected the command /no/such/program to run, got:')
    rmSync(folder, { recursive: true })
  })

  it('of an e-mail gets a message by SMTP', async () => {
    const got: string[] = []
    await using server = await listening(smtpServer(got))
    const smtp = `smtp://robot:hunter22@127.0.0.1:${server.port}`
    const [target] = targetsOf([{ email: { smtp, from: 'crawl@a.test', to: ['me@a.test', 'you@a.test'] } }])

    await target?.send(alert, { clock, signal: AbortSignal.timeout(5_000) })

    const said = got.join('')
    expect(said).toContain('RCPT TO:<you@a.test>')
    expect(said).toContain('Subject: [avocet] prices: given up: a.test: never answered')
    expect(said).toContain(LINE)
  })

  it('that fails shows no token and no password', async () => {
    const { error, url } = await posted((slack) => ({ slack }), 404)
    await using server = await listening(smtpServer([], true))
    const smtp = `smtp://robot:hunter22@127.0.0.1:${server.port}`
    const [mail] = targetsOf([{ email: { smtp, from: 'crawl@a.test', to: 'me@a.test' } }])

    expect(error).toBe(`SinkDown: expected 2xx of ${url}, got 404: no such hook __secret__`)
    await expect(mail?.send(alert, { clock, signal: AbortSignal.timeout(5_000) })).rejects.toThrow(
      /^expected the SMTP server to take the message, got: (?!.*(?:hunter22|robot))/,
    )
  })

  it('is named by its kind, and numbered where there are several', () => {
    const slack = 'https://hooks.slack.test/x'

    expect(targetsOf([{ slack }, { slack }, () => undefined]).map(({ name }) => name)).toEqual(['slack', 'slack 2', 'function'])
  })
})

describe('a heartbeat', () => {
  it('is a POST, and fails where the answer is not 2xx', async () => {
    const methods: string[] = []
    const server = createHttpServer(({ method = '', url = '' }, response) => {
      methods.push(`${method} ${url}`)
      response.writeHead(methods.length === 1 ? 200 : 404).end()
    })
    await using at = await listening(server)
    const beat = heartbeat(`http://127.0.0.1:${at.port}/ping/abcdefgh`)
    const around = { clock, signal: AbortSignal.timeout(5_000) }

    await beat({ id: 'beat 1', crawl: 'prices' }, around)

    await expect(beat({ id: 'beat 2', crawl: 'prices' }, around)).rejects.toThrow(
      `expected 2xx of http://127.0.0.1:${at.port}, got 404`,
    )
    expect(methods).toEqual(['POST /ping/abcdefgh', 'POST /ping/abcdefgh'])
  })
})

describe('the line of an alert', () => {
  it('says the crawl, the rule, the subjects and why; at its end also for how long it was', () => {
    expect(alertLine(alert)).toBe(LINE)
    expect(alertLine({ ...alert, state: 'ended', at: NOW + 7_200_000 })).toBe(`prices: over after 2 h: ${LINE.slice(8)}`)
    expect(alertLine({ ...alert, subjects: ['a.test', 'b.test'], more: 27, text: 'a.test: no DNS' })).toBe(
      'prices: given up: a.test, b.test and 27 more: a.test: no DNS',
    )
    expect(alertLine({ ...alert, rule: '', subjects: [], state: 'test', text: 'a test' })).toBe('prices: a test')
  })
})
