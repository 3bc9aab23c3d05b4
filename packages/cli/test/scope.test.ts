// `avocet scope`: which patterns of URLs are closed, and opening them again.
import { Orders } from '@avocet/at-rest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fingerprint } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
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
  await frontier.close()
  await closing('/cal?d=*')
})
afterEach(() => rm(folder, { recursive: true }))

const SPEC = { name: 'shop', hostKeying: 'host' } as const

function storePath(): string {
  return join(folder, '.avocet', 'shop.db')
}

/** Has the only host closed by `pattern`. */
async function closing(pattern: string): Promise<void> {
  const frontier = sqlite(storePath())
  await frontier.open(SPEC, 0)
  const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
  const closed = [{ pattern, reason: 'same-content', pages: 64, refused: 1_200, since: 5 }]
  for (const lease of leases)
    await frontier.release([
      {
        lease,
        rest: {
          readyAt: 0,
          memory: {
            traps: JSON.stringify([1, { pages: 24, refused: { [pattern]: 1_200 } }]),
            '#traps': JSON.stringify([1, { records: [], closed, seen: [] }]),
          },
        },
      },
    ])
  await frontier.close()
}

async function accepted(path = storePath()): Promise<readonly string[]> {
  const reader = await openReader(path)
  const { accepted: patterns } = await Orders.of(reader)
  await reader.close()
  return [...patterns]
}

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

const LINE = 'shop.test/cal?d=*: its pages say the same; 64 pages seen, 1,200 refused'

describe('avocet scope', () => {
  it('lists what is closed, and why', async () => {
    expect(await avocet('scope', 'list')).toEqual({ code: 0, stdout: `${LINE}\n`, stderr: '' })
  })

  it('refuses a pattern that is not closed, names those that are, and accepts nothing', async () => {
    const misspelled = await avocet('scope', 'accept', 'shop.test/cal?d=*', 'shop.test/cla?d=*')

    expect(misspelled).toMatchObject({ code: 2, stdout: '' })
    expect(misspelled.stderr).toContain(
      "scope accept: expected a pattern that is closed, got 'shop.test/cla?d=*' (did you mean 'shop.test/cal?d=*'?); closed: shop.test/cal?d=* (AVO_USAGE)",
    )
    expect(await accepted()).toEqual([])
    expect((await avocet('scope', 'accept', 'sohp.test/**')).code).toBe(2)
    expect((await avocet('scope', 'accept', 'shop.test/**', '*.shop.test')).code).toBe(0)
  })

  it('accepts a pattern by either of its names, whichever is closed', async () => {
    await closing('/__secret__/list?a=*')
    const run = await avocet('scope', 'accept', 'shop.test/*/list?a=__secret__')

    expect(run.code).toBe(0)
    expect(await accepted()).toEqual(['shop.test/__secret__/list?a=*'])
  })

  it.each(['//**', '/go/http://*', '/a/**?**', '/deadbeef#%zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz/*', '/a?', "/it's/**"])(
    'accepts %s, which a crawl closed, letter by letter',
    async (path) => {
      await closing(path)
      const run = await avocet('scope', 'accept', `shop.test${path}`)

      expect(run).toMatchObject({ code: 0, stderr: '' })
      expect(await accepted()).toEqual([`shop.test${path}`])
    },
  )

  it('lists what is accepted, and takes it back', async () => {
    await avocet('scope', 'accept', 'shop.test/cal?d=*', 'shop.test/**')

    expect((await avocet('scope', 'list')).stdout).toBe('no pattern is closed\naccepted:\n  shop.test/**\n  shop.test/cal?d=*\n')
    expect(JSON.parse((await avocet('scope', 'list', '--json')).stdout)).toEqual({
      schema: 1,
      closed: [],
      accepted: ['shop.test/**', 'shop.test/cal?d=*'],
    })
    expect((await avocet('scope', 'forget', 'shop.test/cla?d=*')).stderr).toContain(
      "scope forget: expected a pattern that is accepted, got 'shop.test/cla?d=*' (did you mean 'shop.test/cal?d=*'?); accepted: shop.test/**, shop.test/cal?d=*",
    )
    expect(await avocet('scope', 'forget', 'shop.test/**')).toEqual({
      code: 0,
      stdout: 'shop.test/**: no longer accepted; from the next run on, it is treated like any other\n',
      stderr: '',
    })
    expect(await accepted()).toEqual(['shop.test/cal?d=*'])
  })

  it('takes back what was accepted also while a crawl has the store open', async () => {
    await avocet('scope', 'accept', 'shop.test/cal?d=*')
    const frontier = sqlite(storePath())
    await frontier.open(SPEC, 0)
    const { code } = await avocet('scope', 'forget', 'shop.test/cal?d=*')
    await frontier.close()

    expect(code).toBe(0)
    expect(await accepted()).toEqual([])
  })

  it.each(['accept', 'forget'])(
    '%s of an unknown pattern hides the value of a secret parameter that the store knows',
    async (action) => {
      const frontier = sqlite(storePath())
      await frontier.open(SPEC, 0)
      await frontier.note({ core: JSON.stringify([1, { scopeHosts: [], secretParameters: ['tok'] }]) })
      await frontier.close()
      const { code, stderr } = await avocet('scope', action, 'shop.test/cal?e=*&tok=s3cret')

      expect([code, stderr.includes('s3cret')]).toEqual([2, false])
      expect(stderr).toContain("got 'shop.test/cal?e=*&tok=__secret__'")
    },
  )

  it('accepts a pattern for the runs that follow', async () => {
    const { code, stdout } = await avocet('scope', 'accept', 'shop.test/cal?d=*')
    const frontier = sqlite(storePath())
    await frontier.open(SPEC, 0)
    await frontier.close()

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'shop.test/cal?d=*: open when the crawl is run again (store: .avocet/shop.db)\n',
    })
    expect(await accepted()).toEqual(['shop.test/cal?d=*'])
  })

  it('says what it expects', async () => {
    expect(await avocet('scope', 'accept')).toMatchObject({ code: 2, stdout: '' })
    expect((await avocet('scope', 'accept', 'cal')).stderr).toContain('expected a pattern that is closed')
    expect((await avocet('scope', 'acept', 'x')).stderr).toContain("did you mean 'accept'")
  })
})

describe('avocet why', () => {
  it('names what is closed of a host, and of a URL', async () => {
    expect((await avocet('why', 'shop.test')).stdout).toContain(LINE)
    expect((await avocet('why', 'http://shop.test/cal?d=2')).stdout).toContain(LINE)
    expect((await avocet('why', 'http://shop.test/other')).stdout).not.toContain(LINE)
  })

  it('and the report name none that was accepted', async () => {
    await avocet('scope', 'accept', 'shop.test/cal?d=*')
    expect((await avocet('why', 'shop.test')).stdout).not.toContain('shop.test/cal?d=*')
    expect((await avocet('report')).stdout).not.toContain('shop.test/cal?d=*')
  })
})

describe('avocet report', () => {
  it('names what is closed', async () => {
    expect((await avocet('report')).stdout).toContain(LINE)
  })
})
