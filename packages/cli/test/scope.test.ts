// `avocet scope`: which patterns of URLs are closed, and opening them again.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acceptedPatterns, CANONICALISATION, GAINS_PART, type Fingerprint } from '@avocet/core'
import { sqlite } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-scope-'))
  const frontier = sqlite(storePath())
  await frontier.open(SPEC, 0)
  const url = 'http://shop.test/cal?d=1'
  await frontier.add([
    { fingerprint: 'abcdefghijklmnop' as Fingerprint, hostKey: 'shop.test', url, handler: 'start', depth: 1, priority: 0 },
  ])
  const { visits } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
  const closed = [{ pattern: '/cal?d=*', reason: 'same-content', pages: 64, refused: 1_200, since: 5 }]
  for (const visit of visits)
    await frontier.release(visit, {
      readyAt: 0,
      memory: { [GAINS_PART]: JSON.stringify([1, { records: {}, closed, seen: [] }]) },
    })
  await frontier.close()
})
afterEach(() => rm(folder, { recursive: true }))

const SPEC = { name: 'shop', canonicalisation: CANONICALISATION, hostKeying: 'host' } as const

function storePath(): string {
  return join(folder, '.avocet', 'shop.db')
}

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

const LINE = 'shop.test/cal?d=*: its pages say the same; 64 pages seen, 1,200 refused'

describe('avocet scope', () => {
  it('lists what is closed, and why', async () => {
    expect(await avocet('scope', 'list')).toEqual({ code: 0, stdout: `${LINE}\n`, stderr: '' })
  })

  it('makes no store, says what is accepted in advance, and takes a pattern as messages show it where a parameter is secret', async () => {
    const none = await avocet('scope', 'accept', 'shop.test/x', '--store', 'none.db')
    expect(none.stderr).toContain('AVO_FRONTIER_MISSING')

    const { stderr, stdout } = await avocet('scope', 'accept', 'shop.test/a?token=__secret__')
    expect(stderr).toContain('nothing is closed by shop.test/a?token=*: accepted in advance')
    expect(stdout).toContain('shop.test/a?token=*: open when the crawl is run again')
  })

  it('accepts a pattern for the runs that follow', async () => {
    const { code, stdout } = await avocet('scope', 'accept', 'shop.test/cal?d=*')
    const frontier = sqlite(storePath())
    const info = await frontier.open(SPEC, 0)
    await frontier.close()

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'shop.test/cal?d=*: open when the crawl is run again (store: .avocet/shop.db)\n',
    })
    expect([...acceptedPatterns(info.crawlMemories)]).toEqual(['shop.test/cal?d=*'])
  })

  it('says what it expects', async () => {
    expect(await avocet('scope', 'accept')).toMatchObject({ code: 2, stdout: '' })
    expect((await avocet('scope', 'accept', 'cal')).stderr).toContain('expected a pattern such as shop.example/cal?d=*')
    expect((await avocet('scope', 'acept', 'x')).stderr).toContain("did you mean 'accept'")
  })
})

describe('avocet why', () => {
  it('names what is closed of a host, and of a URL', async () => {
    expect((await avocet('why', 'shop.test')).stdout).toContain(LINE)
    expect((await avocet('why', 'http://shop.test/cal?d=2')).stdout).toContain(LINE)
    expect((await avocet('why', 'http://shop.test/other')).stdout).not.toContain(LINE)
  })
})

describe('avocet report', () => {
  it('names what is closed', async () => {
    expect((await avocet('report')).stdout).toContain(LINE)
  })
})
