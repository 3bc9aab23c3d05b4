// What `avocet check` says of sessions, patterns of hosts and a browser before a crawl goes without them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

const BROWSER = join(import.meta.dirname, '../../../fetcher-browser/src/index.ts')

async function checked(config: string, before = ''): Promise<Awaited<ReturnType<typeof runCli>>> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-check-sessions-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const seeds = `['alice', 'bob', 'shop-2'].map((session) => ({ url: 'http://127.0.0.1:39999/', session }))`
  const spider = `{ name: 'members', seeds: ${seeds}, handlers: { *start() {} } }`
  await writeFile(join(folder, 'avocet.config.mjs'), `${before}\nexport default { ${config}, spider: ${spider} }`)
  return runCli(['check', '--offline'], { folder })
}

it('warns of a seed whose session the configuration spells otherwise, and of no other', { timeout: 30_000 }, async () => {
  const { stdout, code } = await checked(`sessions: { alise: {}, bob: {} }`)

  expect(stdout.replace(/\s+/g, ' ')).toContain(
    "warn seeds session alice of a seed is not among the sessions of the configuration (did you mean 'alise'?): it has only cookies",
  )
  expect(stdout).not.toMatch(/session (?:bob|shop-2) of a seed/)
  expect(code).toBe(0)
})

it('warns of patterns of hosts and limits that no seed matches', { timeout: 30_000 }, async () => {
  const limits = `limits: [{ match: ['127.0.0.1', '*.shops.example'], maxRps: 5 }]`
  const hosts = `hosts: { '*': { maxRps: 9 }, '127.0.0.1:39999': {}, '127.0.0.1:39998': { maxRps: 1 } }`
  const { stdout, code } = await checked(`${hosts}, ${limits}`)

  const said = stdout.replace(/\s+/g, ' ')
  expect(said).toContain("warn config hosts: '127.0.0.1:39998' matches no seed (did you mean '127.0.0.1:39999'?); it counts only")
  expect(said).toContain("warn config limits[0]: '*.shops.example' matches no seed; it counts only for hosts found later")
  expect(said.match(/matches no seed/g)).toHaveLength(2)
  expect(code).toBe(0)
})

it('fails where a crawl would not find its browser', { timeout: 30_000 }, async () => {
  const { stdout, code } = await checked(
    `browser: browser({ executablePath: '/nowhere/chrome' })`,
    `import { browser } from '${BROWSER}'`,
  )

  expect(stdout.replace(/\s+/g, ' ')).toContain('FAIL config expected a browser at /nowhere/chrome, found none')
  expect(code).toBe(4)
})
