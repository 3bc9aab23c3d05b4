// What is plain JSON, and what would come back as something else.
import { describe, expect, it } from 'vitest'
import { unlikeJson } from '../src/unlike-json.ts'

describe('memory', () => {
  it.each([
    [null],
    [{ a: [1, 'x', true, null, { b: undefined }] }],
    [Object.assign(Object.create(null) as object, { a: 1 })],
    [{ toJSON: 1 }],
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
  ])('%j is not: %s', (memory, flaw) => {
    expect(unlikeJson(memory)).toBe(flaw)
  })
})
