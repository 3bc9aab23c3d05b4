// A copy of a store is made whole or not at all, and what another one made in its place meanwhile is left alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@avocet/core/store'
import { openReader, sqlite, verifyStore, type Restoring } from '@avocet/plugin-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Place } from '../../project/src/place/place.ts'
import { copyStore } from '../src/store/copied-store.ts'
import { storeKind, type StoreKind } from '../../project/src/store/store-kinds.ts'
import { newRequest, SPEC } from './crawl-with-everything.ts'

const PLACE = { clock: systemClock(), stderr: process.stderr } as unknown as Place

/** A store with one URL, in a folder of its own. */
async function teas(): Promise<string> {
  const path = newPath()
  const frontier = sqlite(path)
  await frontier.open(SPEC, 0)
  await frontier.add([newRequest('teas.example/1')])
  await frontier.close()
  return path
}

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'teas.db')
}

/** Copies a resting store with one URL into `target`, where nobody saw a store. Returns what was removed. */
async function copied(target: string, restore?: Restoring['restore']): Promise<string[]> {
  const removed: string[] = []
  const kind: StoreKind = {
    ...storeKind('/of-a-path.db'),
    frontier: () => Promise.resolve({ ...sqlite(target), ...(restore && { restore }) }),
    exists: () => Promise.resolve(false),
    remove: (address) => Promise.resolve(void removed.push(address)),
  }
  const source = await teas()
  const reader = await openReader(source)
  try {
    await copyStore({ reader, source, target, counts: await reader.counts() }, kind, PLACE)
  } catch (error) {
    throw Object.assign(error as Error, { removed })
  } finally {
    await reader.close()
  }
  return removed
}

describe('copyStore', () => {
  it('fills a new store', async () => {
    const target = newPath()

    expect(await copied(target)).toEqual([])

    expect(await verifyStore(target)).toEqual({ faults: [], known: 1, items: 0 })
  })

  it('leaves alone what another one made there meanwhile', async () => {
    const target = await teas()

    await expect(copied(target)).rejects.toMatchObject({ code: 'AVO_USAGE', removed: [] })

    expect(await verifyStore(target)).toEqual({ faults: [], known: 1, items: 0 })
  })

  it('removes what it could not make whole', async () => {
    const target = newPath()

    await expect(copied(target, () => Promise.reject(new Error('the disk is full')))).rejects.toMatchObject({
      message: 'the disk is full',
      removed: [target],
    })
  })
})
