// Commands that are told of a spider or of a configuration: they read the store of that crawl, and of no other.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'

let folder: string

/** A folder with the store of `teas`, and no other. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-meant-'))
  await mkdir(join(folder, '.avocet'))
  const frontier = sqlite(join(folder, '.avocet/teas.db'))
  await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
  await frontier.close()
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of ['teas', 'cups']) {
    const spider = `{ name: '${name}', seeds: [], handlers: { *start() {} } }`
    await writeFile(join(folder, `${name}.js`), `export default ${spider}`)
    await writeFile(join(folder, `${name}.config.js`), `export default { spider: ${spider} }`)
  }
})
afterEach(() => rm(folder, { recursive: true }))

it.each([
  [['rejects', '--config', 'cups.config.js'], 'cups.db'],
  [['rejects', '--config', 'missing.js'], 'missing.js'],
  [['report', '--config', 'cups.config.js'], 'cups.db'],
])('%j does not read the only store that there is, which is of another crawl', { timeout: 30_000 }, async (words, named) => {
  const { code, stderr } = await runCli(words, { folder })

  expect(stderr).toContain(named)
  expect(code).not.toBe(0)
})

it.each([
  [['rejects', '--config', 'teas.config.js']],
  [['rejects', 'teas', '--config', 'cups.config.js']],
  [['report', '--config', 'teas.config.js']],
])('%j reads the store of teas', { timeout: 30_000 }, async (words) => {
  expect(await runCli(words, { folder })).toMatchObject({ code: 0 })
})
