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
    const yields: CoreHostMemory['yields'] = [['product', 24, 24, 0, 0, 24, 0, 1, 24, 0]]

    expect(judged({ yields, documents: 1 }, { done: 1, failed: 8 })).toBe(
      'broken layout: it gave pages, and the last visits of all 8 failed',
    )
    expect(judged({ yields, documents: 1 }, { done: 2, failed: 8 })).toBe('fine')
    expect(judged({ yields }, { done: 0, failed: 1 })).toBe('fine')
    expect(judged({}, { done: 0, failed: 8 })).toBe('fine')
  })

  it('has a broken layout where a handler finds nothing any more, or fails now, with its last good visit', () => {
    const dry: CoreHostMemory['yields'] = [['product', 60, 40, 0, 0, 40, 20, 0, 40, 0]]
    const failing: CoreHostMemory['yields'] = [['product', 60, 40, 0, 0, 40, 0, 1, 40, 0, '000111', NOW - 60_000]]

    expect(judged({ yields: dry })).toBe('broken layout: no items in the last 20 pages of handler product, after 40 items')
    expect(judged({ yields: failing })).toBe(
      'broken layout: handler product failed on 3 of its last 6 pages, last good visit 1 min ago',
    )
  })

  it.each<[string, string, NonNullable<CoreHostMemory['yields']>[number]]>([
    [
      'broken layout: neither an item nor a link from any of 10 pages of handler product',
      'nothing of ten pages',
      ['product', 10, 0, 0, 0, 0, 10, 0, 0, 0],
    ],
    ['fine', 'nothing of nine pages', ['product', 9, 0, 0, 0, 0, 9, 0, 0, 0]],
    ['fine', 'one link of ten pages', ['product', 10, 0, 0, 0, 0, 10, 0, 1, 0]],
  ])('is %s where a handler yielded %s', (expected, _what, row) => {
    expect(judged({ yields: [row] })).toBe(expected)
  })
})
