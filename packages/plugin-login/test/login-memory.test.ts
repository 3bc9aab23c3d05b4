// What is kept of logins has a bound, whatever the number of sessions.
import { describe, expect, it } from 'vitest'
import { boundedLogins, joinedLoginMemory, type LoginAtRest } from '../src/login-memory.ts'

const IN: LoginAtRest = { isIn: true, failures: 0, restUntil: 0 }
const WAITS: LoginAtRest = { isIn: false, failures: 3, restUntil: 1_767_225_600_000 }

describe('the logins of very many sessions', () => {
  it('fit into memory, and pauses are forgotten last', () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `session customer-with-a-long-name-0000-${n}`)
    const kept = boundedLogins(names.map((name, n) => [name, n < 100 ? WAITS : IN]))

    expect(JSON.stringify(kept).length).toBeLessThan(42 * 1_024)
    expect(names.slice(0, 100).every((name) => kept[name] === WAITS)).toBe(true)
    expect(kept[names.at(-1) ?? '']).toBe(IN)
    expect(Object.keys(kept)).toEqual(names.filter((name) => name in kept))
  })

  it('fit into memory where several processes left them', () => {
    const left = (process: number): Parameters<typeof joinedLoginMemory>[0] => ({
      sessions: boundedLogins(Array.from({ length: 450 }, (_, n) => [`session account-${process}-${n}`, n < 10 ? WAITS : IN])),
      places: [],
    })
    const { sessions } = joinedLoginMemory(left(1), left(2))

    expect(JSON.stringify(sessions).length).toBeLessThan(42 * 1_024)
    expect(Object.values(sessions).filter((login) => login === WAITS)).toHaveLength(20)
  })

  it('are all kept while there is room', () => {
    expect(
      boundedLogins([
        ['session a', IN],
        ['session b', WAITS],
      ]),
    ).toEqual({ 'session a': IN, 'session b': WAITS })
  })
})
