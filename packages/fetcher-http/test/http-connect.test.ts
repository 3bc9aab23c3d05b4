// What the answer to CONNECT means, in whatever pieces it comes, and that nothing behind it is lost.
import { describe, expect, it } from 'vitest'
import { httpConnect } from '../src/proxies/http-connect.ts'

const PROXY = { url: 'http://p.test:8080', id: 'http://p.test:8080', kind: 'http', hostname: 'p.test', port: 8080 } as const
const handshake = httpConnect(PROXY, { hostname: 'shop.test', port: 443 })
const hear = (text: string) => handshake.hear(Buffer.from(text, 'latin1'))

describe('the answer to CONNECT', () => {
  it.each([
    ['nothing', 'HTTP/1.1 200 OK\r\n\r\n', ''],
    [
      'what the host said at once',
      'HTTP/1.1 200 Connection established\r\nVia: p\r\n\r\n\x16\x03\x01 hello\r\n\r\n',
      '\x16\x03\x01 hello\r\n\r\n',
    ],
    ['bytes that look like another answer', 'HTTP/1.0 200\r\n\r\nHTTP/1.1 407 No\r\n\r\n', 'HTTP/1.1 407 No\r\n\r\n'],
    ['what comes behind an interim answer', 'HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\n\nrest', 'rest'],
  ])('opens the tunnel with %s behind it', (_what, text, rest) => {
    const word = hear(text)

    expect(word.kind).toBe('open')
    expect('rest' in word && word.rest.toString('latin1')).toBe(rest)
  })

  it('is waited for until its last byte, and opens with that one', () => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n'
    const kinds = Array.from(text, (_character, n) => hear(text.slice(0, n + 1)).kind)

    expect(kinds.pop()).toBe('open')
    expect(new Set(kinds)).toEqual(new Set(['more']))
  })

  it.each([
    ['HTTP/1.1 407 No\r\n\r\n', 'AVO_PROXY_AUTH'],
    ['HTTP/1.1 402 Pay\r\n\r\n', 'AVO_PROXY_LIMIT'],
    ['HTTP/1.1 429 Slow\r\nRetry-After: 5\r\n\r\n', 'AVO_PROXY_LIMIT'],
    ['HTTP/1.1 502 Bad\r\n\r\n', 'AVO_PROXY_REFUSED'],
    ['HTTP/1.1 302 Elsewhere\r\nLocation: /\r\n\r\n', 'AVO_PROXY_REFUSED'],
    ['HTTP/1.1 999 Odd\r\n\r\n', 'AVO_PROXY_PROTOCOL'],
    ['HTTP/2 200\r\n\r\n', 'AVO_PROXY_PROTOCOL'],
    ['SSH-2.0-x\r\n', 'AVO_PROXY_PROTOCOL'],
    [`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(17_000)}`, 'AVO_PROXY_PROTOCOL'],
  ])('that is %j is no tunnel', (text, code) => {
    expect(hear(text)).toMatchObject({ kind: 'failed', code })
  })

  it('that is interim without end is no tunnel', () => {
    expect(hear('HTTP/1.1 100\r\n\r\n'.repeat(50_000))).toMatchObject({ kind: 'failed', code: 'AVO_PROXY_PROTOCOL' })
  })
})
