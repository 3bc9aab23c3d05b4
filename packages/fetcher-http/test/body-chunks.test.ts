// What a body's chunks cost while they are kept.
import { describe, expect, it } from 'vitest'
import { BodyChunks } from '../src/body-intake.ts'

describe('body chunks', () => {
  it('keeps the one chunk of a small page as it is', () => {
    const chunks = new BodyChunks()
    const chunk = Buffer.from('page')
    expect(chunks.add(chunk)).toBe(4)
    expect(chunks.joined().buffer).toBe(chunk.buffer)
  })

  it('is counted by the memory that it takes, not by the objects that a server makes of it: a MiB byte by byte is a MiB', () => {
    const chunks = new BodyChunks()
    const read = Buffer.alloc(65_536, 'abc')
    let grown = 0
    for (let at = 0; at < 2 ** 20; at++) grown += chunks.add(read.subarray(at % 65_536, (at % 65_536) + 1))
    expect(grown).toBe(2 ** 20)
    expect(chunks.joined().subarray(0, 65_536).equals(read)).toBe(true)
    expect(chunks.joined()).toHaveLength(2 ** 20)
  })

  it('joins chunks of any size in their order, and what is joined outlives it', () => {
    const chunks = new BodyChunks()
    const parts = [3, 70_000, 1, 200_000, 0, 65_536].map((bytes, nth) => Buffer.alloc(bytes, `${nth}`))
    for (const part of parts) chunks.add(part)
    const first = chunks.joined(70_010)
    const all = chunks.joined()
    chunks.clear()
    expect(all.equals(Buffer.concat(parts))).toBe(true)
    expect(first.equals(Buffer.concat(parts).subarray(0, 70_010))).toBe(true)
    expect(chunks.joined()).toHaveLength(0)
  })
})
