// A copy of a store is made whole or not at all, and what another one made in its place meanwhile is left alone.
import { hash } from 'node:crypto'
import { memoryFrontier } from 'avocet'
import { CANONICALISATION, systemClock, type Fingerprint, type Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { Place } from '../src/place.ts'
import { copyStore } from '../src/store/copied-store.ts'
import type { StoreKind } from '../src/store-kinds/store-kind.ts'

const PLACE = { clock: systemClock(), stderr: process.stderr } as unknown as Place

/** A store with one URL. */
async function teas(): Promise<Frontier> {
  const frontier = memoryFrontier()
  await frontier.open({ name: 'teas', canonicalisation: CANONICALISATION, hostKeying: 'host' }, 0)
  const url = 'https://teas.example/1'
  const fingerprint = hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  await frontier.add([{ fingerprint, hostKey: 'teas.example', url, handler: 'start', depth: 0, priority: 0 }])
  return frontier
}

/** Where nobody saw a store, and this one is. */
function kindOf(frontier: Frontier, removed: string[]): StoreKind {
  return {
    frontier: () => Promise.resolve(frontier),
    reader: () => Promise.resolve(frontier.reader),
    exists: () => Promise.resolve(false),
    probe: () => Promise.resolve(),
    remove: (address) => Promise.resolve(void removed.push(address)),
  }
}

/** Copies a resting store with one URL into `target`. */
async function copied(target: Frontier, removed: string[]): Promise<void> {
  const source = await teas()
  await source.close()
  const counts = await source.reader.counts()
  await copyStore({ reader: source.reader, source: '/old.db', target: '/new.db', counts }, kindOf(target, removed), PLACE)
}

describe('copyStore', () => {
  it('fills a new store', async () => {
    const [target, removed] = [memoryFrontier(), [] as string[]]

    await copied(target, removed)

    expect(await target.reader.counts()).toMatchObject({ known: 1 })
    expect(removed).toEqual([])
  })

  it('leaves alone what another one made there meanwhile', async () => {
    const [target, removed] = [await teas(), [] as string[]]

    await expect(copied(target, removed)).rejects.toMatchObject({ code: 'AVO_USAGE' })

    expect(await target.reader.counts()).toMatchObject({ known: 1 })
    expect(removed).toEqual([])
  })

  it('removes what it could not make whole', async () => {
    const removed: string[] = []
    const target: Frontier = { ...memoryFrontier(), load: () => Promise.reject(new Error('the disk is full')) }

    await expect(copied(target, removed)).rejects.toThrow('the disk is full')

    expect(removed).toEqual(['/new.db'])
  })
})
