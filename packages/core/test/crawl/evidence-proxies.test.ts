// Whose a failure through a proxy is, from what all its hosts say.
import { describe, expect, it } from 'vitest'
import type { FailureCode } from '../../src/values/errors.ts'
import { Evidence } from '../../src/faults/evidence.ts'

const MINUTE = 60_000

/** A guard with a clock of its own. */
class Watched {
  readonly evidence = new Evidence()
  now = 1_000_000

  fail(code: FailureCode, hostKey: string, proxy = 'http://p:1', since = this.now): string {
    const met = { proxy, hostKey, code, since, now: this.now, isUp: false, answered: false, isFailing: false, hosts: 100 }
    return this.evidence.judge(met).whose
  }

  answer(host: string, proxy = 'http://p:1'): this {
    this.evidence.received(host, { now: this.now, isSecure: false, proxy })
    return this
  }

  after(ms: number): this {
    this.now += ms
    return this
  }
}

describe('a failure through a proxy', () => {
  it.each(['AVO_PROXY_UNREACHABLE', 'AVO_PROXY_AUTH', 'AVO_PROXY_LIMIT', 'AVO_PROXY_PROTOCOL'] as const)(
    '%s is always the fault of the proxy',
    (code) => {
      const watched = new Watched().answer('a')

      expect(watched.fail(code, 'b')).toBe('ours')
      expect(watched.after(9 * 60 * MINUTE).fail(code, 'b')).toBe('ours')
    },
  )

  it.each([
    'AVO_PROXY_REFUSED',
    'AVO_PROXY_TIMEOUT',
    'AVO_CONNECT_FAILED',
    'AVO_TLS_CERTIFICATE',
    'AVO_FIRST_BYTE_TIMEOUT',
  ] as const)('%s is the fault of the host where others answered lately, and of the proxy where three hosts meet it', (code) => {
    expect(new Watched().answer('a').after(9_000).fail(code, 'b')).toBe('host')

    const watched = new Watched().answer('a').after(11_000)
    expect(['b', 'b', 'c', 'd', 'b'].map((host) => watched.fail(code, host))).toEqual([
      'unproven',
      'unproven',
      'unproven',
      'ours',
      'ours',
    ])
  })

  it('of one host alone is excused three times, then it is its own', () => {
    const watched = new Watched()

    expect([1, 2, 3, 4].map(() => watched.after(5_000).fail('AVO_PROXY_TIMEOUT', 'a'))).toEqual([
      'unproven',
      'unproven',
      'unproven',
      'host',
    ])
  })

  it('counts an answer that came while the exchange was under way', () => {
    const watched = new Watched()
    const since = watched.now

    expect(watched.after(MINUTE).answer('a').after(MINUTE).fail('AVO_PROXY_TIMEOUT', 'b', 'http://p:1', since)).toBe('host')
  })

  it('is judged by its own proxy alone', () => {
    const watched = new Watched().answer('a', 'http://q:1')

    expect(['b', 'c', 'd'].map((host) => watched.fail('AVO_PROXY_TIMEOUT', host))).toEqual(['unproven', 'unproven', 'ours'])
  })

  it('is the fault of the hosts again once the proxy was blamed for an hour', () => {
    const watched = new Watched()
    for (const host of ['a', 'b', 'c']) watched.fail('AVO_PROXY_REFUSED', host)

    expect(watched.after(59 * MINUTE).fail('AVO_PROXY_REFUSED', 'd')).toBe('ours')
    expect(watched.after(MINUTE).fail('AVO_PROXY_REFUSED', 'd')).toBe('host')
    expect(watched.answer('e').after(MINUTE).fail('AVO_PROXY_REFUSED', 'd')).toBe('unproven')
  })

  it('that is no question of proxies is that of the host, or of this machine', () => {
    const watched = new Watched()
    const [a, b, c] = [
      watched.fail('AVO_LOCAL_RESOURCES', 'a'),
      watched.fail('AVO_BODY_TOO_LARGE', 'b'),
      watched.fail('AVO_TRUNCATED', 'c'),
    ]

    expect([a, b, c]).toEqual(['unproven', 'host', 'host'])
    expect(watched.fail('AVO_PROXY_TIMEOUT', 'd')).toBe('unproven')
  })

  it('of ten thousand proxies takes no more room than of a thousand', () => {
    const watched = new Watched()

    for (let n = 0; n < 10_000; n++) watched.answer('a', `http://p${n}:1`)
    expect(watched.fail('AVO_PROXY_TIMEOUT', 'b', 'http://p9999:1')).toBe('host')
    expect(watched.fail('AVO_PROXY_TIMEOUT', 'b', 'http://p1:1')).toBe('unproven')
  })
})
