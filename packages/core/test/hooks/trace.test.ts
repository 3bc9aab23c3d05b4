// Events of the trace cost nothing while nobody taps `onTrace`.
import { expect, it } from 'vitest'
import { createHooks, trace } from '../../src/hooks/hooks.ts'

it('makes no event while nobody taps onTrace', () => {
  const hooks = createHooks({ speaks() {}, rescue: () => undefined, returned() {}, promised() {} })
  const heard: unknown[] = []
  let made = 0
  const tell = (): void => trace(hooks, () => ({ kind: 'resumed', at: ++made }))

  tell()
  hooks.onTrace.tap('test', (event) => void heard.push(event))
  tell()

  expect(heard).toEqual([{ kind: 'resumed', at: 1 }])
})
