// How much of robots.txt files is kept in RAM as rules, and what reading them may cost.
import type { HostView } from '@avocet/core/plugin'
import { crawlDelayMs, isAllowed, parseRobots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { ParsedCopies } from '../src/parsed-copies.ts'
import { freshRobotsMemory, type RobotsMemory } from '../src/robots-memory.ts'

const ORIGIN = 'http://shop.test'
const MIB = 2 ** 20

/** A host that keeps a robots.txt of so many rules. */
function hostWith(rules: number): { readonly host: HostView; readonly memory: RobotsMemory } {
  const lines = Array.from({ length: rules }, (_, n) => `Disallow: /private/${n}/`)
  const text = ['User-agent: *', ...lines].join('\n')
  return { host: { blob: () => text } as unknown as HostView, memory: freshRobotsMemory() }
}

const copy = { kind: 'rules', fetchedAt: 1, refreshAt: 2, failures: 0, last: 200 } as const

describe('parsed copies', () => {
  it('are not made of files with very many rules, which decide by their text: 200 of those would push each other out for every page', () => {
    const copies = new ParsedCopies()
    const { host, memory } = hostWith(20_000)
    const place = { origin: ORIGIN, copy }

    expect(copies.allows(host, memory, { place, agent: 'avocet', url: `${ORIGIN}/private/19999/` })).toBe(false)
    expect(copies.allows(host, memory, { place, agent: 'avocet', url: `${ORIGIN}/public` })).toBe(true)
    expect(copies.bytes).toBe(0)

    const usual = hostWith(100)
    expect(copies.allows(usual.host, usual.memory, { place, agent: 'avocet', url: `${ORIGIN}/private/99/` })).toBe(false)
    expect(copies.bytes).toBeGreaterThan(0)
  })

  it('of 40 hosts with 20,000 rules each take no more than 64 MiB, and every rule counts', () => {
    const copies = new ParsedCopies()

    const hosts = Array.from({ length: 40 }, () => hostWith(20_000))
    for (const { host, memory } of hosts) {
      const robots = copies.of(host, memory, { origin: ORIGIN, copy })
      expect(isAllowed(robots, 'avocet', `${ORIGIN}/private/19999/`)).toBe(false)
      expect(copies.bytes).toBeLessThanOrEqual(64 * MIB)
    }

    expect(copies.bytes).toBeGreaterThan(32 * MIB)
  })

  it('are there while there is room, and the one used longest ago goes', () => {
    const [a, b, c] = [hostWith(100), hostWith(100), hostWith(100)]
    const copies = new ParsedCopies(40_000)
    const of = ({ host, memory }: typeof a): object => copies.of(host, memory, { origin: ORIGIN, copy })

    const first = { a: of(a), b: of(b) }
    expect(of(a)).toBe(first.a)
    of(c)

    expect(of(a)).toBe(first.a)
    expect(of(b)).not.toBe(first.b)
  })

  it('are read again when the file was fetched again, and counted once', () => {
    const { host, memory } = hostWith(100)
    const copies = new ParsedCopies()
    const first = copies.of(host, memory, { origin: ORIGIN, copy })
    const { bytes } = copies

    expect(copies.of(host, memory, { origin: ORIGIN, copy: { ...copy, fetchedAt: 2 } })).not.toBe(first)
    expect(copies.bytes).toBe(bytes)
  })
})

describe('a robots.txt', () => {
  it('of 15,000 names and 15,000 delays is read in linear time', () => {
    const names = Array.from({ length: 15_000 }, (_, n) => `User-agent: a${n}\n`).join('')
    const before = process.cpuUsage()
    const robots = parseRobots(names + 'Crawl-delay: 1\n'.repeat(15_000))
    const { user, system } = process.cpuUsage(before)

    // 8 s when each delay is noted for each name.
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(crawlDelayMs(robots, 'a14999')).toBe(1_000)
  })
})
