// Stores by URL: what is one, how the command calls it, and which commands take none.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  localPlace,
  nameFrom,
  outputName,
  outputPath,
  storeCalled,
  storePathOf,
  storeWord,
} from '../../../project/src/store/store-path.ts'
import { crawlIn, shownStore } from '../../../project/src/text/store-address.ts'
import { commandLine } from '../../../project/src/text/command-line.ts'
import { runCli } from '../run-cli.ts'

const SECRET = 's3cret'
const CRAWLS = `postgres://me:${SECRET}@db.example:6432/crawls`

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-address-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterEach(() => rm(folder, { recursive: true }))

/** A configuration with the spider `teas`. */
function configure(store: string): Promise<void> {
  const spider = "{ name: 'teas', seeds: ['https://teas.example/'], handlers: { *start() {} } }"
  return writeFile(join(folder, 'avocet.config.js'), `export default { store: ${JSON.stringify(store)}, spider: ${spider} }`)
}

describe('the URL of a store', () => {
  it('names the crawl of the spider, unless it names another', () => {
    expect(crawlIn(storePathOf('teas', folder, CRAWLS))).toBe('teas')
    expect(crawlIn(storePathOf('teas', folder, `${CRAWLS}?crawl=cups`))).toBe('cups')
  })

  it('is shown with all that is needed to type it again, and without passwords', () => {
    const shown = 'postgres://me@db.example:6432/crawls?sslmode=require&crawl=teas'

    expect(shownStore(`${CRAWLS}?sslmode=require&password=${SECRET}&sslpassword=${SECRET}&crawl=teas`)).toBe(shown)
    const keys = `scram_client_key=${SECRET}&scram_server_key=${SECRET}&oauth_client_secret=${SECRET}`
    expect(shownStore(`${CRAWLS}?sslmode=require&${keys}&crawl=teas`)).toBe(shown)
    expect(nameFrom(folder, `${CRAWLS}?sslmode=require&crawl=teas`)).toBe(shown)
    expect(storeWord(folder, `${CRAWLS}?sslmode=require&crawl=teas`)).toBe(shown)
    expect(commandLine(['failed', 'list', `${CRAWLS}?crawl=teas`], 'avocet')).toBe(
      "avocet failed list 'postgres://me@db.example:6432/crawls?crawl=teas'",
    )
  })

  it('of another kind is refused, with what was probably meant', () => {
    expect(() => storeCalled(folder, `postgre://me:${SECRET}@db.example/crawls`)).toThrow(/got postgre:\/\/….*'postgres'/)
    expect(() => storeCalled(folder, `postgres://me:${SECRET}@[/crawls`)).not.toThrow(SECRET)
  })

  it('with one slash or none is refused, without what may be a password in it', () => {
    for (const half of [`postgres:/me:${SECRET}@db.example/crawls`, `POSTGRESQL:me:${SECRET}@db.example/crawls`]) {
      expect(() => storeCalled(folder, half)).toThrow(/expected a store as postgres(ql)?:\/\/USER@.*without two slashes/)
      expect(() => storeCalled(folder, half)).not.toThrow(SECRET)
    }
    expect(storeCalled(folder, './postgres:/teas.db')).toBe(join(folder, 'postgres:/teas.db'))
  })

  it('has its files of this machine where a store in a file would have them', () => {
    expect(localPlace(folder, `${CRAWLS}?crawl=teas`)).toBe(join(folder, '.avocet/teas.db'))
  })
})

describe('outputs', () => {
  it('of two machines are two, where the store is on a server', () => {
    const name = outputName('/work/items.jsonl', CRAWLS)

    expect(name).toBe(`${hostname()}:/work/items.jsonl`)
    expect(outputPath(name, CRAWLS)).toBe('/work/items.jsonl')
    expect(outputPath('elsewhere.example:/work/items.jsonl', CRAWLS)).toBeUndefined()
  })

  it('beside a store in a file are found from its folder', () => {
    expect(outputName('/work/items.jsonl', '/work/.avocet/teas.db')).toBe('../items.jsonl')
    expect(outputPath('../items.jsonl', '/work/.avocet/teas.db')).toBe('/work/items.jsonl')
  })
})

describe('store in the configuration', { timeout: 60_000 }, () => {
  it('is that of every command', async () => {
    await configure('far/teas-2.db')
    for (const name of ['far/teas-2.db', '.avocet/teas.db']) {
      const frontier = sqlite(join(folder, name))
      await frontier.open({ name, hostKeying: 'host' }, 0)
      await frontier.close()
    }

    expect((await runCli(['status'], { folder })).stdout).toContain('far/teas-2.db')
    expect((await runCli(['check', '--get', 'store'], { folder })).stdout).toBe('far/teas-2.db\n')
    expect((await runCli(['check', '--offline'], { folder })).stdout).toContain('far/teas-2.db: 0 known')
    expect((await runCli(['status', 'teas'], { folder })).stdout).toContain('.avocet/teas.db')
  })

  it('is shown without its password', async () => {
    await configure(CRAWLS)

    for (const words of [
      ['check', '--values', '--json'],
      ['check', '--get', 'store'],
      ['store', 'verify'],
    ]) {
      const { stdout, stderr } = await runCli(words, { folder })
      expect(stdout + stderr).toContain('postgres://me@db.example:6432/crawls')
      expect(stdout + stderr).not.toContain(SECRET)
    }
  })
})
