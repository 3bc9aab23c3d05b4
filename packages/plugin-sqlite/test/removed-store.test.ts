// Somebody removes the store, moves it away or puts another file in its place while a crawl has it open.
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sleepUntil, type Fingerprint, type Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const PAGE = { hostKey: 'a.example', url: 'https://a.example/', handler: 'start', depth: 0, priority: 0 }
const REQUESTS = [{ ...PAGE, fingerprint: '0123456789abcdef' as Fingerprint }]

async function opened(): Promise<{ frontier: Frontier; path: string; later: () => Promise<void> }> {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'store.db')
  const clock = new VirtualClock()
  const frontier = sqlite(path, { clock })
  await frontier.open({ name: 'removed', hostKeying: 'host' }, 0)
  frontier.sharing?.changedElsewhere()
  return { frontier, path, later: () => clock.run(() => sleepUntil(clock, clock.now() + 1_000)) }
}

describe('a store that is gone while it is open', () => {
  it.each([
    ['removed', (path: string) => rmSync(path), /got nothing there/],
    ['moved away', (path: string) => renameSync(path, `${path}.bak`), /got nothing there/],
    [
      'replaced',
      (path: string) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
      /got another file/,
    ],
  ])('because it was %s is noticed within a second, and still gives what it has', async (_how, change, message) => {
    const { frontier, path, later } = await opened()
    await frontier.add(REQUESTS)
    change(path)
    await later()

    expect(frontier.sharing?.changedElsewhere()).toBe(true)
    const missing = { code: 'AVO_FRONTIER_MISSING', message: expect.stringMatching(message) as string }
    await expect(frontier.renew([], 0)).rejects.toMatchObject(missing)
    await expect(frontier.add(REQUESTS)).rejects.toMatchObject(missing)
    expect(await frontier.reader.counts()).toMatchObject({ known: 1 })
    await expect(frontier.close()).rejects.toMatchObject(missing)
  })

  it('is whole where it was moved to', async () => {
    const { frontier, path, later } = await opened()
    await frontier.add(REQUESTS)
    renameSync(path, `${path}.bak`)
    await later()
    await expect(frontier.close()).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })

    const reader = await openReader(`${path}.bak`)
    expect(await reader.counts()).toMatchObject({ known: 1 })
    await reader.close()
  })
})
