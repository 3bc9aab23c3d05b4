// Events of the trace cost nothing while nobody taps `onTrace`, or nobody who taps it wants events of their kind.
import { expect, it } from 'vitest'
import { createHooks, trace } from '../../src/hooks/hooks.ts'

it('makes no event while nobody taps onTrace for its kind', () => {
  const hooks = createHooks({ speaks() {}, rescue: () => undefined, returned() {}, promised() {} })
  const heard: unknown[] = []
  let made = 0
  const tell = (kind: 'resumed' | 'leased'): void => trace(hooks, kind, () => ({ at: ++made, hostKey: 'a.test' }))

  tell('resumed')
  hooks.onTrace.tap({ name: 'test', kinds: ['leased'] }, (event) => void heard.push(event))
  tell('resumed')
  expect(made).toBe(0)

  tell('leased')
  hooks.onTrace.tap('all', ({ kind }) => void heard.push(kind))
  tell('resumed')
  expect(heard).toEqual([{ kind: 'leased', at: 1, hostKey: 'a.test' }, 'resumed'])
})
