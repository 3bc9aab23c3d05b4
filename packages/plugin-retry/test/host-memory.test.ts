// What is remembered of a host: nothing while all is well but that it served a page.
import { describe, expect, it } from 'vitest'
import { BLOCKED, classOfStatus } from '../src/classify.ts'
import { noteAnswer, noteFailing, noteRetry, type HostMemory } from '../src/host-memory.ts'

const answer = (status: number, seq = 1) => ({
  retryClass: classOfStatus(status),
  status,
  seq,
  now: 1_000,
  required: false,
  again: false,
})

describe('the memory of a host', () => {
  it('is empty until a page is served, and says no more than that of a host that is well', () => {
    const host: HostMemory = {}

    noteAnswer(host, answer(302))
    noteAnswer(host, answer(404))
    expect(host).toEqual({})

    noteAnswer(host, answer(200))
    noteAnswer(host, answer(200))
    expect(host).toEqual({ served: true })
  })

  it('keeps failing pages until the host answers, and a budget until it is full again', () => {
    const host: HostMemory = { budget: { tokens: 9.8 } }

    const noted = [7, 7, 8, 9, 10].map((id, n) => noteFailing(host, { ...BLOCKED, name: 'server' }, { id, now: 1_000 + n }))
    expect(noted.map(({ failingPages, downMs }) => [failingPages, downMs])).toEqual([
      [1, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [3, 4],
    ])
    noteAnswer(host, answer(404))
    expect(host).toEqual({ budget: { tokens: 9.9 } })

    noteAnswer(host, answer(404))
    expect(host).toEqual({})
  })

  it('has nothing against a host that forbids a page: it is not down', () => {
    const host: HostMemory = { failing: [7, 8] }
    noteAnswer(host, answer(403))
    expect(host.failing).toBeUndefined()
  })

  it('learns from a document that a plugin requires only that the host is not down', () => {
    const host: HostMemory = { failing: [7] }
    for (const status of [200, 403, 503]) expect(noteAnswer(host, { ...answer(status), required: true })).toBeUndefined()
    expect(host).toEqual({})
  })

  it('counts neither refusals nor bans among failing pages', () => {
    const host: HostMemory = {}
    for (const status of [403, 429, 503]) {
      const retryClass = classOfStatus(status) ?? expect.fail('a class')
      noteFailing(host, retryClass, { id: status, now: 1_000 })
      noteRetry(host, { retryClass, counted: true, now: 1_000 })
    }
    expect(host).toEqual({ retries: 3 })
  })
})

describe('a forbidden page has a class', () => {
  it('from the second in a row on, at a host that served a page', () => {
    const [served, unknown]: HostMemory[] = [{ served: true }, {}]
    const classes = (host: HostMemory = {}) => [1, 2, 3].map((seq) => noteAnswer(host, answer(403, seq))?.name)

    expect(classes(served)).toEqual([undefined, 'blocked', 'blocked'])
    expect(classes(unknown)).toEqual([undefined, undefined, undefined])
  })

  it('also when a refusal or an error stands between them', () => {
    const host: HostMemory = { served: true }
    const names = [403, 429, 503, 500, 403].map((status, n) => noteAnswer(host, answer(status, n + 1))?.name)
    expect(names).toEqual([undefined, 'throttle', 'throttle', 'server', 'blocked'])
  })
})
