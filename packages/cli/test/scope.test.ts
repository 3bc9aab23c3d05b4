// `avocet scope`: which patterns of URLs are closed, and opening them again.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CANONICALISATION, type Fingerprint } from '@avocet/core/store'
import { GAINS_PART, Orders } from '@avocet/core/tools'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileContent } from './file-content.ts'
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

const SPEC = { name: 'shop', canonicalisation: CANONICALISATION, hostKeying: 'host' } as const

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
          memory: { [GAINS_PART]: JSON.stringify([1, { records: {}, closed, seen: [] }]) },
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

  it('makes no store, says what is accepted in advance, and takes a pattern as messages show it where a parameter is secret', async () => {
    const none = await avocet('scope', 'accept', 'shop.test/x', '--store', 'none.db')
    expect(none.stderr).toContain('AVO_FRONTIER_MISSING')

    const { stderr, stdout } = await avocet('scope', 'accept', '--ahead', 'shop.test/a?token=__secret__')
    expect(stderr).toContain('nothing of shop.test/a?token=* is closed; accepted ahead')
    expect(stdout).toContain('shop.test/a?token=*: open when the crawl is run again')
  })

  it('refuses a pattern that is not closed, names those that are, and accepts nothing', async () => {
    const misspelled = await avocet('scope', 'accept', 'shop.test/cal?d=*', 'shop.test/cla?d=*')

    expect(misspelled).toMatchObject({ code: 2, stdout: '' })
    expect(misspelled.stderr).toContain(
      "scope accept: expected a pattern that is closed, got 'shop.test/cla?d=*' (did you mean 'shop.test/cal?d=*'?); closed: shop.test/cal?d=*; --ahead accepts a pattern before it is closed",
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

  it('accepts all of a host whose port is the default one of another scheme, where the store knows it', async () => {
    const frontier = sqlite(storePath())
    await frontier.open(SPEC, 0)
    const url = 'http://shop.test:443/'
    await frontier.add([
      { fingerprint: 'ponmlkjihgfedcba' as Fingerprint, hostKey: 'shop.test:443', url, handler: 'start', depth: 1, priority: 0 },
    ])
    await frontier.close()
    await avocet('scope', 'accept', 'shop.test:443/**')
    await avocet('scope', 'accept', '--ahead', 'other.test:443/**')

    expect(await accepted()).toEqual(['shop.test:443/**', 'other.test/**'])
  })

  it('accepts ahead of the first run, in a store that the crawl then goes on with', async () => {
    const store = join('.avocet', 'new.db')
    const run = await avocet('scope', 'accept', 'new.test/a?b=*', '--ahead', '--store', store)

    expect(run).toMatchObject({ code: 0 })
    expect(run.stderr).toContain('there is no store yet, so .avocet/new.db was made')
    expect(await accepted(join(folder, store))).toEqual(['new.test/a?b=*'])
    expect((await avocet('scope', 'accept', 'new.test/x', '--store', 'none.db')).stderr).toContain(
      'before the first run: avocet scope accept PATTERN --ahead --store PATH',
    )
  })

  it('in a store that nothing has run in leaves it so, as status and report say', async () => {
    await avocet('scope', 'accept', 'new.test/a?b=*', '--ahead', '--store', 'new.db')

    expect((await avocet('status', '--store', 'new.db')).stdout).toContain('state    nothing has run yet\n')
    expect((await avocet('report', '--store', 'new.db')).stdout).toBe('new: 0 pages, 0 items; nothing has run yet\n')
    const views = fileContent((await avocet('report', '--store', 'new.db', '--html', '-')).stdout)
    expect(views['now ']).toMatchObject({ totals: { known: 0, startedAt: null } })
  })

  it('accepts what the crawl will look for, however it is typed, and says what that is', async () => {
    const run = await avocet('scope', 'accept', '--ahead', 'SHOP.test/day?d=2026-11-22', '*.BÜCHER.test', 'shop.test/cal?d=7')

    expect(run.code).toBe(0)
    expect(run.stdout).toContain('shop.test/day?d=*, *.xn--bcher-kva.test, shop.test/cal?d=*: open when')
    expect(run.stderr).toContain('SHOP.test/day?d=2026-11-22 matches the pattern shop.test/day?d=*')
    expect(run.stderr).toContain('nothing of shop.test/day?d=*, *.xn--bcher-kva.test is closed; accepted ahead')
    expect(await accepted()).toEqual(['shop.test/day?d=*', '*.xn--bcher-kva.test', 'shop.test/cal?d=*'])
  })

  it.each(['bad', '*.s1.mall.test', '*.localhost', 'shop.test/a/b/**'])(
    'makes no store for %s, which it refuses',
    async (wrong) => {
      const run = await avocet('scope', 'accept', 'shop.test/**', wrong, '--ahead', '--store', 'up.db')

      expect(run.code).toBe(2)
      expect(existsSync(join(folder, 'up.db'))).toBe(false)
    },
  )

  it('makes no store for more patterns than a crawl may have', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => `h${n}.test/**`)
    const run = await avocet('scope', 'accept', ...many, '--ahead', '--store', 'up.db')

    expect(run.stderr).toContain('expected at most 1000 patterns')
    expect(existsSync(join(folder, 'up.db'))).toBe(false)
  })

  it('says of a host or domain that it knows when nothing of it is closed', async () => {
    expect((await avocet('scope', 'accept', 'shop.test/**')).stderr).toBe('')
    expect((await avocet('scope', 'accept', '*.shop.test')).stderr).toContain('nothing of *.shop.test is closed; accepted ahead')
  })

  it('lists what is accepted, and takes it back', async () => {
    await avocet('scope', 'accept', 'shop.test/cal?d=*')
    await avocet('scope', 'accept', '--ahead', 'shop.test/x/y')

    expect((await avocet('scope', 'list')).stdout).toBe('no pattern is closed\naccepted:\n  shop.test/cal?d=*\n  shop.test/x/*\n')
    expect(JSON.parse((await avocet('scope', 'list', '--json')).stdout)).toEqual({
      schema: 1,
      closed: [],
      accepted: ['shop.test/cal?d=*', 'shop.test/x/*'],
    })
    expect((await avocet('scope', 'forget', 'shop.test/y/*')).stderr).toContain(
      "scope forget: expected a pattern that is accepted, got 'shop.test/y/*' (did you mean 'shop.test/x/*'?); accepted: shop.test/cal?d=*, shop.test/x/*",
    )
    expect(await avocet('scope', 'forget', 'SHOP.test/x/z')).toEqual({
      code: 0,
      stdout: 'shop.test/x/*: no longer accepted; from the next run on, it is treated like any other\n',
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
