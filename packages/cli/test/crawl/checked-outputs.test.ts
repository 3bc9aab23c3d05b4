// Whether a crawl may begin whose output another process has: a real lock, of a process that lives.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@avocet/simulator'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkedOutputs } from '../../src/crawl/before-crawl.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'avocet-checked-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Looks whether `out.jsonl` may be written by a crawl in `site.db`, while the parent of this process has it for a crawl that knows its id. */
async function checked(): Promise<void> {
  const stat = await readFile(`/proc/${process.ppid}/stat`, 'utf8')
  const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  writeFileSync(join(folder, 'out.jsonl.lock'), `${process.ppid} ${startedAt} a1b2c3`)
  const { stdout } = process
  const store = { storePath: join(folder, 'site.db'), isShared: true }
  await checkedOutputs([{ path: 'out.jsonl', mode: 'append' }], {
    folder,
    stdout,
    clock: new VirtualClock(),
    say: () => {},
    ...store,
  })
}

it.skipIf(process.platform !== 'linux')('is refused where its store is not there: that process is of another crawl', async () => {
  await expect(checked()).rejects.toMatchObject({ code: 'AVO_OUTPUT_UNWRITABLE' })
})

it.skipIf(process.platform !== 'linux')('begins where its store is there: that process may be of the same crawl', async () => {
  writeFileSync(join(folder, 'site.db'), 'a store')

  await checked()
})
