// Whose trouble holds a host: only that of all its origins that ever answered.
import { describe, expect, it } from 'vitest'
import type { Circuit } from '../src/circuit-memory.ts'
import { hostHold, type Origins } from '../src/origins.ts'
import { START } from './stories.ts'

const HTTP = 'http://x.test'
const HTTPS = 'https://x.test'

function openFor(ms: number): Circuit {
  const trip = { kind: 'certificate', word: 'tls-certificate' } as const
  return { phase: { kind: 'open', level: 0, since: START, failedAt: START, until: START + ms, trip }, changedAtSeq: 1 }
}

describe('a host of two origins', () => {
  it('is not held while one of them is well, whatever page is next', () => {
    const origins: Origins = { answered: [HTTPS, HTTP], troubled: [{ origin: HTTPS, circuit: openFor(60_000) }] }

    expect(hostHold(origins, HTTPS, START)).toBeUndefined()
    expect(hostHold(origins, HTTP, START)).toBeUndefined()
  })

  it('is held until the first of them may be asked again when both are in trouble', () => {
    const troubled = [
      { origin: HTTPS, circuit: openFor(60_000) },
      { origin: HTTP, circuit: openFor(20_000) },
    ]

    expect(hostHold({ answered: [HTTPS, HTTP], troubled }, HTTPS, START)?.notBefore).toBe(START + 20_000)
  })
})
