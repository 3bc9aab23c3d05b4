// What is remembered of a host with many origins (`hostKeying: 'domain'`) has a bound, whatever their robots.txt files say.
import type { HostView } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import type { Copy } from '../src/copy-law.ts'
import { freshRobotsMemory, keep } from '../src/robots-memory.ts'

const LARGE = Array.from({ length: 8 }, (_, n) => `${n}${'"'.repeat(159)}`)
const RULES: Copy = { kind: 'rules', fetchedAt: 1, refreshAt: 86_400_000, failures: 0, last: 200 }
const UNREACHABLE: Copy = { kind: 'unknown', fetchedAt: 0, refreshAt: 5_000, failures: 1, failingSince: 0, last: 503 }
const originOf = (n: number): string => `http://m${n}.shop.test`

describe('the copies of many origins', () => {
  it('fit into the memory of a host, with what they say of the use of the content: those that were requested longest ago go', () => {
    const memory = freshRobotsMemory()
    const deleted: string[] = []
    const host = { keepBlob: (name: string) => deleted.push(name) } as unknown as HostView
    for (let n = 0; n < 60; n++) keep(memory, { origin: originOf(n), copy: { ...RULES, preferences: LARGE } }, host)

    const kept = memory.copies.length
    expect(JSON.stringify(memory).length).toBeLessThan(50_000)
    expect(memory.copies.map(({ origin }) => origin)).toEqual(Array.from({ length: kept }, (_, n) => originOf(60 - kept + n)))
    expect(deleted).toEqual(Array.from({ length: 60 - kept }, (_, n) => `robots ${originOf(n)}`))
  })

  it('are at most 50, one that could not be had last among them: it must not be requested again at once', () => {
    const memory = freshRobotsMemory()
    const host = { keepBlob: () => {} } as unknown as HostView
    for (let n = 0; n < 60; n++) keep(memory, { origin: originOf(n), copy: RULES }, host)
    keep(memory, { origin: originOf(60), copy: UNREACHABLE }, host)

    expect(memory.copies).toHaveLength(50)
    expect(memory.copies.at(-1)).toEqual({ origin: originOf(60), copy: UNREACHABLE })
  })
})
