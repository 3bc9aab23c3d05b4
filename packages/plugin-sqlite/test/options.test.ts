// Options are checked before a file is made.
import { existsSync } from 'node:fs'
import { sqlite, type SqliteOptions } from '@avocet/plugin-sqlite'
import { expect, it } from 'vitest'

it.each([
  [{ synchronous: 'ful' }, `expected sqlite: synchronous to be 'full' or 'normal', got 'ful' (did you mean 'full'?)`],
  [{ synchronous: 'off' }, `expected sqlite: synchronous to be 'full' or 'normal', got 'off'`],
  [{ maxBytes: 0 }, 'expected sqlite: maxBytes to be a number above 0, or Infinity, got 0'],
  [{ lockPatienceMs: -1 }, 'expected sqlite: lockPatienceMs to be a number of at least 0, got -1'],
  [{ lockPatience: 5 }, "sqlite has no option 'lockPatience' (did you mean 'lockPatienceMs'?)"],
  [{ clock: Date.now }, 'expected sqlite: clock to be an object, got a function'],
])('%o are refused', (options, message) => {
  expect(() => sqlite('refused.db', options as SqliteOptions)).toThrow(
    expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message }) as Error,
  )
  expect(existsSync('refused.db')).toBe(false)
})
