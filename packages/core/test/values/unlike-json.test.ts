// What is plain JSON, and what would come back as something else.
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { unlikeJson } from '../../src/values/unlike-json.ts'

const shared = { a: 1 }
const hidden = (): object => Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'x', enumerable: false })
const tree: { kids: object[] } = { kids: [{}] }
tree.kids.push({ kids: tree.kids }, { up: tree })
const self: Record<string, unknown> = {}
self['me'] = self

describe('memory', () => {
  it.each([
    [null],
    [{ a: [1, 'x', true, null, { b: undefined }] }],
    [Object.assign(Object.create(null) as object, { a: 1 })],
    [{ toJSON: 1 }],
    // Of another realm.
    [runInNewContext('({ a: [{ b: 1 }] })')],
    // Met twice, and in no cycle.
    [[shared, { shared }]],
  ])('%j is JSON', (memory) => {
    expect(unlikeJson(memory)).toBeUndefined()
  })

  const holed: number[] = []
  holed[1] = 1
  it.each([
    [{ since: new Date(0) }, 'memory.since is a Date'],
    [{ a: [Number.NaN] }, 'memory.a[0] is NaN, and JSON has no such number'],
    // In a list nothing can be left out: it would come back as null.
    [{ a: [1, undefined] }, 'memory.a[1] is undefined, and a list in JSON has no such member'],
    [{ a: holed }, 'memory.a[0] is undefined, and a list in JSON has no such member'],
    // JSON.stringify calls it, whether it is listed or not.
    [{ a: hidden() }, 'memory.a.toJSON is a function'],
    [Object.assign([1], { toJSON: () => 1 }), 'memory.toJSON is a function'],
    [Object.create(Object.create(null) as object), 'memory is a object of its own kind'],
    [runInNewContext('({ a: new (class Tea {}) })'), 'memory.a is a Tea'],
  ])('%j is not: %s', (memory, flaw) => {
    expect(unlikeJson(memory)).toBe(flaw)
  })

  it('is not JSON where it has itself inside: the path says where, and what is met again', () => {
    expect(unlikeJson(self)).toBe('memory.me is in itself: a cycle')
    expect(unlikeJson({ tree })).toBe('memory.tree.kids[1].kids is in itself: a cycle')
  })

  it('is searched in a bounded number of steps, also where each object is met twice', () => {
    let twice: object = {}
    for (let depth = 0; depth < 60; depth++) twice = { left: twice, right: twice }

    expect(unlikeJson(twice)).toMatch(/ is one of more than 1,000,000 members$/)
    expect(unlikeJson(Array.from({ length: 1_000_001 }, () => 0))).toBe('memory[1000000] is one of more than 1,000,000 members')
    expect(unlikeJson(Object.assign([], { length: 50_000_000 }))).toBe(
      'memory[0] is undefined, and a list in JSON has no such member',
    )
  })
})
