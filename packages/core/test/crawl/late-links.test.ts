// Links that wait for their hosts to join: each once, and not without end.
import { describe, expect, it } from 'vitest'
import { LateLinks } from '../../src/discovery/late-links.ts'
import type { NewRequest } from '../../src/ports/request.ts'
import { fingerprintOf } from '../../src/url/fingerprint.ts'

const requestOf = (hostKey: string, n: number): NewRequest => ({
  url: `http://${hostKey}/${n}`,
  hostKey,
  fingerprint: fingerprintOf({ method: 'GET', canonicalUrl: `http://${hostKey}/${n}`, handler: 'start' }),
  handler: 'start',
  depth: 1,
  priority: 0,
})

describe('links to hosts that may join', () => {
  it('are given once each when their host has joined, and not again', () => {
    const late = new LateLinks()

    for (const n of [1, 2, 1]) late.keep('www.a.test', `start ${n}`, () => requestOf('www.a.test', n))
    late.keep('cdn.a.test', 'start 3', () => requestOf('cdn.a.test', 3))

    expect(late.taken(['www.a.test']).map(({ url }) => url)).toEqual(['http://www.a.test/1', 'http://www.a.test/2'])
    expect(late.taken(['www.a.test'])).toEqual([])
  })

  it('are asked about only then, so what refuses them by now is obeyed', () => {
    const late = new LateLinks()
    let isRefused = false

    late.keep('www.a.test', 'start 1', () => (isRefused ? undefined : requestOf('www.a.test', 1)))
    isRefused = true

    expect(late.taken(['www.a.test'])).toEqual([])
  })

  it('are a thousand at most, whatever their hosts; those that were given make room', () => {
    const late = new LateLinks()

    for (let n = 0; n < 1_500; n++) late.keep(`h${n % 3}.a.test`, `start ${n}`, () => requestOf(`h${n % 3}.a.test`, n))
    const first = late.taken(['h0.a.test']).length
    late.keep('h4.a.test', 'start 2000', () => requestOf('h4.a.test', 2_000))

    expect(first + late.taken(['h1.a.test', 'h2.a.test']).length).toBe(1_000)
    expect(late.taken(['h4.a.test'])).toHaveLength(1)
  })
})
