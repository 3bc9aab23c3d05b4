// Items of one page are shown to plugins in steps: a page may have a hundred thousand, and other pages wait meanwhile.
import type { HostView } from '@avocet/core/plugin'
import { systemClock } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { filterItems } from '../../src/pages/page-items.ts'
import { createHooks } from '../../src/hooks/hooks.ts'
import { countTurns } from '../count-turns.ts'
import { requestOf } from '../page-parts.ts'

const page = { request: requestOf(), host: {} as HostView }

describe('items that a plugin looks at', () => {
  it('leave the event loop to others after each thousand, and come in their order', async () => {
    const hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
    hooks.onItem.tap('numbers', (item) => (typeof item === 'number' && item % 2 === 0 ? null : item))
    const items = Array.from({ length: 10_000 }, (_, n) => ({ json: String(n) }))

    const turns = countTurns()
    const result = await filterItems(items, page, { hooks, clock: systemClock(), timeoutMs: 60_000 })
    turns.stop()

    expect(turns.now).toBeGreaterThanOrEqual(9)
    expect(result).toEqual({
      kind: 'filtered',
      items: items.map((item, ordinal) => ({ ...item, ordinal })).filter((_, n) => n % 2 === 1),
    })
  })

  it('are shown to nobody any more once their time is over', async () => {
    const hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
    let seen = 0
    let now = 0
    const wakes: (() => void)[] = []
    const clock = {
      ...systemClock(),
      now: () => now,
      at(_epochMs: number, wake: () => void) {
        wakes.push(wake)
        return { [Symbol.dispose]() {} }
      },
    }
    hooks.onItem.tap('slow', (item) => {
      if (++seen === 1_500) for (const wake of wakes) wake()
      return item
    })
    now = 100
    const result = await filterItems(
      Array.from({ length: 10_000 }, () => ({ json: '{}' })),
      page,
      { hooks, clock, timeoutMs: 50 },
    )
    if (result.kind === 'failed') await result.running

    expect(result).toMatchObject({ kind: 'failed', failure: { code: 'AVO_PLUGIN_TIMEOUT' } })
    expect(seen).toBe(1_500)
  })
})
