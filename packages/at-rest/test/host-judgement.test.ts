// The one judgement of a host, from what core remembers of it.
import { describe, expect, it } from 'vitest'
import type { CoreHostMemory } from '../../core/src/hosts/core-memory.ts'
import { judgeHost } from '../src/host-judgement.ts'

const NOW = 1_000_000

function judged(
  core: Partial<CoreHostMemory>,
  host: { retiredFor?: string; waiting?: number; done?: number; failed?: number } = {},
  pausedUntil = 0,
): string {
  const record = {
    hostKey: 'shop.test',
    waiting: 1,
    done: 1,
    failed: 0,
    ...host,
    memory: { core: JSON.stringify([1, { proven: true, ...core }]) },
  }
  const { condition, why } = judgeHost(record, { pausedUntil, now: NOW })
  return why === '' ? condition : `${condition}: ${why}`
}

describe('a host', () => {
  it.each<[string, Partial<CoreHostMemory>]>([
    ['fine', {}],
    ['fine', { failedFor: 'reset', consecutiveFailures: 1 }],
    ['fine', { refusals: 4 }],
    ['unreachable: reset', { failedFor: 'reset', consecutiveFailures: 1, proven: false }],
    ['unreachable: reset, 2 failures in a row', { failedFor: 'reset', consecutiveFailures: 2 }],
    ['refusing: server errors (5xx), 2 in a row', { consecutiveFailures: 2 }],
    ['refusing: 429 or 503, 5 times in a row', { refusals: 5 }],
    ['refusing: asks to wait for 1 min', { askedUntil: NOW + 60_000 }],
    [
      'blocked: the last 3 answers were forbidden',
      { served: true, forbidden: { inRow: 3, firstSeq: 1, firstAt: 1, longestPrivate: 0 } },
    ],
    ['slow: its last answer took 2.0 s', { lastDurationMs: 2_000 }],
  ])('is %s', (expected, core) => {
    expect(judged(core)).toBe(expected)
  })

  it('that has never answered is unreachable for what holds its requests, such as a robots.txt that cannot be read', () => {
    const heldFor = { by: 'robots', why: 'robots.txt unreachable (AVO_TRUNCATED)', until: 1 }

    expect(judged({ proven: false, lastEndAt: 5, heldFor })).toBe('unreachable: robots.txt unreachable (AVO_TRUNCATED)')
    expect(judged({ proven: false, lastEndAt: 5, heldFor }, { waiting: 0 })).toBe('fine')
  })

  it.each([
    ['hours', 'visited from 20:00 to 08:00 Europe/Berlin'],
    ['robots', 'Visit-time 0600-0845 UTC'],
  ])('that is closed for the day, as %s says, is fine, whether it has answered or not', (by, why) => {
    const heldFor = { by, why, until: NOW + 3_600_000 }

    expect(judged({ heldFor })).toBe(`fine: ${why}`)
    expect(judged({ proven: false, lastEndAt: 5, heldFor })).toBe(`fine: ${why}`)
    expect(judged({ proven: false, lastEndAt: 5, heldFor: { ...heldFor, until: NOW } })).toBe('fine')
  })

  it.each(['Crawl-delay of 10 s', 'Request-rate one in 10 min, 1300-1659 UTC'])('that has asked for a %s is fine', (why) => {
    expect(judged({ proven: false, lastEndAt: 5, heldFor: { by: 'robots', why, until: NOW + 1 } })).toBe('fine')
  })

  it.each<[string, Partial<CoreHostMemory>]>([
    ['fine', { heldFor: { by: 'core', why: 'delay', until: NOW + 1 } }],
    ['fine', { heldFor: { by: 'aimd', why: 'its pace', until: NOW + 1 }, rate: 'aimd' }],
    [
      'refusing: asks to wait for 1 min',
      { heldFor: { by: 'robots', why: 'robots.txt unreachable (503)', until: NOW + 60_000 }, askedUntil: NOW + 60_000 },
    ],
  ])('that has never answered with a success, and waits for our pace or as it asked, is %s', (expected, core) => {
    expect(judged({ proven: false, lastEndAt: 5, ...core })).toBe(expected)
  })

  it('that was given up is unreachable, and one that an operator has paused is that alone', () => {
    expect(judged({}, { retiredFor: 'dns-not-found' })).toBe('unreachable: given up, dns-not-found')
    expect(judged({}, { retiredFor: 'dns-not-found' }, NOW + 1)).toBe('paused: by an operator')
  })

  it('that gave pages, and of which the last visits of all failed, has a broken layout; one page alone is no shop', () => {
    const gave = { pages: 24, items: 24, added: 24 }

    expect(judged({ gave, documents: 1 }, { done: 1, failed: 8 })).toBe(
      'broken layout: it gave pages, and the last visits of all 8 failed',
    )
    expect(judged({ gave, documents: 1 }, { done: 2, failed: 8 })).toBe('fine')
    expect(judged({ gave }, { done: 0, failed: 1 })).toBe('fine')
    expect(judged({}, { done: 0, failed: 8 })).toBe('fine')
  })

  it('has a broken layout where a plugin says what is wrong with its pages', () => {
    const host = { hostKey: 'shop.test', waiting: 1, done: 1, failed: 0, memory: {} }

    expect(judgeHost(host, { pausedUntil: 0, now: NOW, broken: 'no items' })).toEqual({
      condition: 'broken layout',
      why: 'no items',
    })
  })
})
