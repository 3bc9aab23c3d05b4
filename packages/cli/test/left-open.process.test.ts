// A command that has ended has closed what it opened: bin/avocet.js would end its process anyway, and a test that calls it would be left with the rest.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { smallSite, type SmallSite } from './small-site.ts'

/** As bin/avocet.js, and waits for the end of all that is open. */
const PROGRAM = `
  const { main } = await import('${import.meta.resolve('@avocet/cli')}')
  process.exitCode = await main(process.argv.slice(1))`

let folder: string
let site: SmallSite
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-left-open-'))
  site = await smallSite(3)
})
afterAll(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

it.each([
  ['crawl', '--store', 'shop.db', '-O', 'items.jsonl', '--rate', 'none', '--delay', '0'],
  ['fetch', '--rate', 'none', '--delay', '0'],
])('nothing is left open by %s', async (command, ...words) => {
  const program = ['--conditions=@avocet/source', '--input-type=module', '--eval', PROGRAM, '--', command, site.url, ...words]
  const child = spawn(process.execPath, program, { cwd: folder, timeout: 45_000, killSignal: 'SIGKILL', stdio: 'ignore' })

  expect(await once(child, 'close')).toEqual([0, null])
})
