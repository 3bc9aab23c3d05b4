// The identity index: cache, tail, merges, and fingerprints that nearly collide.
import type { Fingerprint, NewRequest } from '@avocet/core/store'
import { seeded } from '@avocet/simulator'
import { sqlite } from '@avocet/plugin-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { join } from 'node:path'
import { FingerprintTail } from '../src/identity/fingerprint-tail.ts'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

/** One random number after the other. */
function dice(seed: string): () => number {
  const chance = seeded(seed)
  let drawn = 0
  return () => chance(drawn++)
}

const SPEC = { name: 'identity', hostKeying: 'host' }

function wordsOf(chance: () => number): Uint32Array {
  return Uint32Array.from({ length: 4 }, () => chance() * 2 ** 32)
}

function requestOf(n: number, fingerprint: string): NewRequest {
  const hostKey = `h${n % 5}.example`
  return {
    fingerprint: fingerprint as Fingerprint,
    hostKey,
    url: `https://${hostKey}/${n}`,
    handler: 'start',
    depth: 0,
    priority: 0,
  }
}

/** A fingerprint of random bytes. */
function fingerprintOf(chance: () => number): string {
  return String.fromCharCode(...Array.from({ length: 16 }, () => Math.floor(chance() * 256)))
}

describe('tail of new fingerprints', () => {
  it('keeps them by id, and forgets the oldest', () => {
    const chance = dice('tail')
    const all = Array.from({ length: 5_000 }, () => wordsOf(chance))
    const tail = new FingerprintTail(100)
    for (const words of all) tail.append(words)
    expect(tail.lastId).toBe(5_100)
    expect(all.every((words) => tail.has(words))).toBe(true)
    tail.dropUpTo(3_100)
    expect(tail).toMatchObject({ base: 3_100, length: 2_000, lastId: 5_100 })
    expect(all.map((words) => tail.has(words))).toEqual(all.map((_, index) => index >= 3_000))
    expect([...tail.wordsOf(0)]).toEqual([...(all[3_000] ?? [])])
  })

  it('finds the entries of a range of the first word', () => {
    const tail = new FingerprintTail(0)
    for (const first of [5, 10, 15, 20]) tail.append(Uint32Array.of(first, 0, 0, 1))
    expect(tail.entriesWithin(10, 20, 4)).toEqual([1, 2])
    expect(tail.entriesWithin(0, 100, 2)).toEqual([0, 1])
  })
})

describe('identity index', () => {
  it('knows every URL through merges, closings and another process', async () => {
    const folder = temporaryFolder()
    onTestFinished(() => folder.dispose())
    const path = join(folder.path, 'store.db')
    const chance = dice('merge')
    const all = Array.from({ length: 90_000 }, (_, n) => requestOf(n, fingerprintOf(chance)))
    const frontier = sqlite(path, { synchronous: 'normal' })
    const other = sqlite(path, { synchronous: 'normal' })
    await frontier.open(SPEC, 0)
    await other.open(SPEC, 0)
    for (let from = 0; from < all.length; from += 5_000) {
      const batch = all.slice(from, from + 5_000)
      expect(await (from % 15_000 === 0 ? other : frontier).add(batch)).toEqual({ added: 5_000, known: 0 })
      expect(await frontier.add(batch.slice(0, 100))).toEqual({ added: 0, known: 100 })
    }
    for (const process of [frontier, other]) expect(await process.add(all)).toEqual({ added: 0, known: 90_000 })
    await frontier.close()
    await other.close()
    expect(audit(path)).toEqual([])

    const again = sqlite(path)
    await again.open(SPEC, 0)
    expect(await again.add(all)).toEqual({ added: 0, known: 90_000 })
    await again.close()
  })

  it('tells apart fingerprints that share the 48 bits of their key, also in the index', async () => {
    const chance = dice('collide')
    const twins = Array.from({ length: 40 }, (_, n) => requestOf(n, `same48${fingerprintOf(chance).slice(6)}`))
    const others = Array.from({ length: 40_000 }, (_, n) => requestOf(n + 40, fingerprintOf(chance)))
    const strangers = Array.from({ length: 40 }, (_, n) => requestOf(n, `same48${fingerprintOf(chance).slice(6)}`))
    const folder = temporaryFolder()
    onTestFinished(() => folder.dispose())
    const path = join(folder.path, 'store.db')
    const frontier = sqlite(path, { synchronous: 'normal' })
    await frontier.open(SPEC, 0)
    expect(await frontier.add(twins)).toEqual({ added: 40, known: 0 })
    for (let from = 0; from < others.length; from += 8_000) await frontier.add(others.slice(from, from + 8_000))
    for (let n = 0; n < 3; n++)
      await frontier.add(others.map((_, index) => requestOf(100_000 * (n + 1) + index, fingerprintOf(chance))).slice(0, 4_000))
    expect(await frontier.add(twins)).toEqual({ added: 0, known: 40 })
    expect(await frontier.add(strangers)).toEqual({ added: 40, known: 0 })
    expect(await frontier.add([...twins, ...strangers])).toEqual({ added: 0, known: 80 })
    await frontier.close()
    expect(audit(path)).toEqual([])
  })
})
