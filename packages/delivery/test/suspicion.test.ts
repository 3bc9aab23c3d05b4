// Which item a sink cannot write: found by halving, guilty only while others pass, and never while the sink is down.
import { describe, expect, it } from 'vitest'
import { Suspicion } from '../src/suspicion.ts'

const fail = (suspicion: Suspicion, seq: number, size: number, times = 1): readonly boolean[] =>
  Array.from({ length: times }, () => suspicion.failed({ seq, size }, true))

describe('a batch that fails', () => {
  it('is halved from the third time on, and its only item is a suspect then', () => {
    const suspicion = new Suspicion(8)
    const limits = [8, 8, 8, 4, 2, 1].map((size) => {
      const isSuspected = suspicion.failed({ seq: 1, size }, true)
      return [suspicion.limit, isSuspected]
    })

    expect(limits).toEqual([
      [Infinity, false],
      [Infinity, false],
      [4, false],
      [2, false],
      [1, false],
      [1, true],
    ])
    expect(suspicion.suspects).toEqual([{ seq: 1, failures: 1 }])
  })

  it('begins to count anew where another one fails, or one passes', () => {
    const other = new Suspicion(8)
    fail(other, 1, 8, 2)
    fail(other, 5, 8, 2)
    const passed = new Suspicion(8)
    fail(passed, 1, 8, 2)
    passed.passed()
    fail(passed, 1, 8, 2)

    expect([other.limit, passed.limit]).toEqual([Infinity, Infinity])
  })

  it('grows again by doubling while batches pass', () => {
    const suspicion = new Suspicion(8)
    fail(suspicion, 1, 8, 3)
    fail(suspicion, 1, 4)
    const limits = [1, 2, 3].map(() => {
      suspicion.passed()
      return suspicion.limit
    })

    expect(limits).toEqual([4, Infinity, Infinity])
  })

  it('of one item is no suspect where nothing is behind it, and of nine only eight are', () => {
    const alone = new Suspicion(1)
    const verdicts = [1, 2, 3, 4].map(() => alone.failed({ seq: 1, size: 1 }, false))
    const many = new Suspicion(1)
    fail(many, 1, 1, 3)
    const all = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seq) => many.failed({ seq, size: 1 }, true))

    expect(verdicts).toEqual([false, false, false, false])
    expect(all).toEqual([true, true, true, true, true, true, true, true, false])
  })
})

describe('a suspect', () => {
  it('is guilty when it failed alone three times, with something that passed between', () => {
    const suspicion = new Suspicion(8, { suspects: [{ seq: 3, failures: 1 }] })
    suspicion.passed()
    const second = suspicion.failedAgain(3)
    suspicion.passed()
    const third = suspicion.failedAgain(3)

    expect([second, third, suspicion.isSuspect(3)]).toEqual([false, true, false])
  })

  it('is never guilty while nothing passes', () => {
    const suspicion = new Suspicion(8, { suspects: [{ seq: 3, failures: 2 }] })

    expect(Array.from({ length: 100 }, () => suspicion.failedAgain(3))).not.toContain(true)
    expect(suspicion.suspects).toEqual([{ seq: 3, failures: 2 }])
  })

  it('is tried first when something passed, or there is nothing else; of an earlier run at once', () => {
    const suspicion = new Suspicion(8, { suspects: [{ seq: 3, failures: 1 }] })
    const first = suspicion.next({ idle: false })
    suspicion.failedAgain(3)
    const [busy, idle] = [suspicion.next({ idle: false }), suspicion.next({ idle: true })]
    suspicion.passed()

    expect([first, busy, idle, suspicion.next({ idle: false })]).toEqual([3, undefined, 3, 3])
  })

  it('that was written is none any more', () => {
    const suspicion = new Suspicion(8, { suspects: [{ seq: 3, failures: 1 }] })
    suspicion.acquit(3)

    expect([suspicion.isSuspect(3), suspicion.next({ idle: true }), suspicion.failedAgain(3)]).toEqual([false, undefined, false])
  })
})
