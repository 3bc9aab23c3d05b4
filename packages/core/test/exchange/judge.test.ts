// What an exchange comes to: one table.
import type { Response } from '@avocet/core'
import type { Verdict } from '../../src/ports/exchange.ts'
import { DEFAULTS, failure, systemClock, type Leased } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { judge } from '../../src/exchange/judge.ts'
import { createHooks } from '../../src/hooks/hooks.ts'
import { LiveExchange } from '../../src/exchange/live-exchange.ts'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'
import { Tally } from '../../src/run/tally.ts'
import { requestOf, responseOf } from '../page-parts.ts'

const ACCEPT: Verdict = { kind: 'accept' }
const RETRY: Verdict = { kind: 'retry', at: 9_000, counted: true, reason: 'later' }
const DROP: Verdict = { kind: 'drop', reason: 'enough' }
const RESET = failure('AVO_RESET', 'it was reset', { sent: true })
const THREW = failure('AVO_PLUGIN_THREW', 'a plugin threw')

function exchange({ isRequired = false } = {}): LiveExchange {
  const host = new LiveHost(
    { hostKey: 'shop.test', epoch: 1, memory: {}, requests: [], waiting: 0 },
    { order: 0, core: freshCoreMemory(), options: {}, memory: [], virtualTime: 0, leasedAt: 0 },
  )
  const made = new LiveExchange({
    host,
    request: { ...requestOf(), ...(isRequired && { handler: '(required)' }) },
    leased: isRequired ? undefined : (requestOf() as Leased),
    accepts: (status) => status === 200,
    run: {
      settings: { clock: new VirtualClock({ startAt: 5 }), timeLimits: DEFAULTS.timeLimits, randomSeed: 'seed' },
      tenure: { holds: true },
      tally: new Tally(systemClock(), () => {}),
      hooks: createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} }),
    },
    ended: () => {},
  })
  return made
}

function answer(status: number, headers: Response['headers'] = {}): Response {
  return { ...responseOf(headers, ''), status }
}

const answered = (response: Response) => ({ kind: 'answered', response }) as const
const failed = { kind: 'failed', failure: RESET } as const

describe('an exchange', () => {
  it.each([
    ['a page', answered(answer(200)), { verdict: ACCEPT, response: answer(200) }, { kind: 'page' }],
    [
      'a redirect',
      answered(answer(301, { location: '/a' })),
      { verdict: ACCEPT, response: answer(301, { location: '/a' }) },
      { kind: 'redirect' },
    ],
    [
      'a page that a plugin served',
      { kind: 'served', response: answer(200) },
      { verdict: ACCEPT, response: answer(200) },
      { kind: 'page' },
    ],
    [
      'a status that nobody wants',
      answered(answer(404)),
      { verdict: ACCEPT, response: answer(404) },
      { kind: 'failed', outcome: { reason: 'http-404' } },
    ],
    [
      'one that plugins drop',
      answered(answer(404)),
      { verdict: DROP, response: answer(404) },
      { kind: 'failed', outcome: { reason: 'enough' } },
    ],
    [
      'one that plugins retry',
      answered(answer(503)),
      { verdict: RETRY, response: answer(503) },
      { kind: 'retry', outcome: { at: 9_000, counted: true } },
    ],
    [
      'a page that costs money, whatever plugins want to repeat',
      answered(answer(402)),
      { verdict: RETRY, response: answer(402) },
      { kind: 'failed', outcome: { reason: 'http-402' } },
    ],
    ['a failure', failed, { verdict: ACCEPT, cause: RESET }, { kind: 'failed', outcome: { reason: 'reset', failure: RESET } }],
    ['a failure that plugins retry', failed, { verdict: RETRY, cause: RESET }, { kind: 'retry', outcome: { at: 9_000 } }],
    ['a failure that counts for nobody', failed, { verdict: ACCEPT }, { kind: 'unsent' }],
    [
      'one at which a plugin threw, whatever others vote',
      answered(answer(200)),
      { verdict: RETRY, response: answer(200), threw: THREW },
      { kind: 'failed', outcome: { reason: 'plugin-threw' } },
    ],
    ['one that was taken back', { kind: 'recalled' }, { verdict: ACCEPT }, { kind: 'unsent' }],
    [
      'one that a plugin puts off',
      { kind: 'put-off', verdict: RETRY },
      { verdict: RETRY },
      { kind: 'retry', outcome: { at: 9_000, counted: false } },
    ],
    [
      'one that a plugin drops unsent',
      { kind: 'put-off', verdict: DROP },
      { verdict: DROP },
      { kind: 'failed', outcome: { reason: 'enough' } },
    ],
  ] as const)('comes to %s', (_what, end, closing, expected) => {
    expect(judge(exchange(), end, closing, 1_000)).toMatchObject(expected)
  })

  it.each([
    [
      'an answer',
      answered(answer(404)),
      { verdict: ACCEPT, response: answer(404) },
      { kind: 'document', result: { status: 404 } },
    ],
    [
      'a redirect',
      answered(answer(301, { location: '/a' })),
      { verdict: ACCEPT, response: answer(301, { location: '/a' }) },
      { kind: 'document', result: { status: 301 } },
    ],
    ['a failure', failed, { verdict: ACCEPT, cause: RESET }, { kind: 'document', result: RESET }],
    [
      'a failure, where another plugin drops it',
      { kind: 'put-off', verdict: DROP },
      { verdict: DROP },
      { kind: 'document', result: { code: 'AVO_PLUGIN_CONFLICT' } },
    ],
    ['nothing that was sent', { kind: 'put-off', verdict: RETRY }, { verdict: RETRY }, { kind: 'unsent' }],
  ] as const)('of a required document is for the plugin that required it: %s', (_what, end, closing, expected) => {
    expect(judge(exchange({ isRequired: true }), end, closing, 1_000)).toMatchObject(expected)
  })
})
