// What a SOCKS5 proxy may answer, in whatever pieces it comes, and that nothing behind it is lost.
import { describe, expect, it } from 'vitest'
import { Socks5Handshake } from '../src/proxies/socks5-handshake.ts'
import type { ProxyWord } from '../src/proxies/http-connect.ts'

const PROXY = { url: 'socks5://p.test:1080', id: 'socks5://p.test:1080', kind: 'socks5', hostname: 'p.test', port: 1080 } as const
const ACCEPTS = [5, 2]
const OPENS = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

/** The last word of a conversation in which the proxy says `answers`, one at a time, and what is behind the last. */
function told(...answers: readonly (readonly number[])[]): ProxyWord {
  const handshake = new Socks5Handshake({ ...PROXY, username: 'me', password: 'x' }, { hostname: 'shop.test', port: 443 })
  const words = answers.map((bytes) => handshake.hear(Buffer.from(bytes)))
  return words.at(-1) ?? { kind: 'more' }
}

describe('a SOCKS5 proxy that asks for a password', () => {
  // RFC 1929 §2 has version 1 here. Some proxies repeat the 5, and mean the same.
  it.each([1, 5])('opens the tunnel where it says version %j of its verdict', (version) => {
    expect(told(ACCEPTS, [version, 0], [...OPENS, 22, 3])).toMatchObject({ kind: 'open', rest: Buffer.from([22, 3]) })
    expect(told(ACCEPTS, [version, 1])).toMatchObject({ kind: 'failed', code: 'AVO_PROXY_AUTH' })
  })

  it('is none where it says anything else', () => {
    expect(told(ACCEPTS, [72, 84])).toMatchObject({ kind: 'failed', code: 'AVO_PROXY_PROTOCOL' })
    expect(told([72, 84])).toMatchObject({ kind: 'failed', code: 'AVO_PROXY_PROTOCOL' })
  })
})
