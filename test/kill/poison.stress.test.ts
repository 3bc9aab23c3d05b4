// A page that kills its process is given up after three deaths, even when it kills faster than anything can be committed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReader } from '@avocet/plugin-sqlite'
import { siteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { afterAll, describe, expect, it } from 'vitest'

const FOLDER = mkdtempSync(join(tmpdir(), 'avocet-poison-'))
const CLI = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

describe('a page whose handler kills the process', () => {
  it('is settled as failed on the fourth run, and all others are crawled', { timeout: 60_000 }, async () => {
    const web = await spawnRoughWeb(
      siteModel({
        seed: 'poison',
        hosts: [{ name: 'a.test', pages: { kind: 'tree', pages: 30 }, latency: { law: 'fixed', ms: 0 } }],
      }),
    )
    const store = join(FOLDER, 'poison.db')
    const run = (): number | null => {
      const flags = [
        '-a',
        `seeds=${web.model.seeds().join(',')}`,
        '-a',
        'poison=/p/3',
        '--store',
        store,
        '--rate',
        'fixed',
        '--delay',
        '0',
        '--max-per-host',
        '8',
      ]
      return spawnSync(process.execPath, [CLI, 'crawl', join(import.meta.dirname, 'spider.ts'), ...flags], { stdio: 'ignore' })
        .status
    }

    const statuses = [run(), run(), run(), run()]

    await web.close()
    const reader = await openReader(store)
    expect(statuses).toEqual([null, null, null, 0])
    expect(await reader.failures()).toEqual([{ reason: 'poison', count: 1 }])
    expect(await reader.requests({ url: `${web.urlOf('a.test')}/p/3` })).toMatchObject([{ state: 'failed', blame: 'url' }])
    expect(await reader.counts()).toMatchObject({ waiting: 0, failed: 1 })
    await reader.close()
  })
})
