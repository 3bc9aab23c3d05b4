// `avocet shell` at a terminal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { placeIn, type Place } from '../../../project/src/place/place.ts'
import { columnsOf, plain } from '../../../project/src/text/terminal.ts'
import { readCommandLine } from '../../src/command-line/read-command-line.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-shell-terminal-'))
  await writeFile(join(folder, 'package.json'), '{}')
  await writeFile(join(folder, 'page.html'), '<title>Shop</title>')
})
afterEach(() => rm(folder, { recursive: true }))

function terminal(): PassThrough & { readonly isTTY: true } {
  return Object.assign(new PassThrough(), { isTTY: true as const, columns: 80, hasColors: () => false })
}

/** Types the lines ahead, then leaves; gives what the shell wrote, without what moves the cursor. */
async function conversation(lines: readonly string[]): Promise<string> {
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()]
  const place = { ...placeIn(process, []), stdin, stdout, stderr, folder, paint: plain } as unknown as Place
  let written = ''
  stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString()
    if (chunk.toString().startsWith("'the end'")) setImmediate(() => stdin.write('\u0004'))
  })
  stdin.write([...lines, "'the ' + 'end'", ''].join('\r'))
  await (await readCommandLine(['shell', 'page.html'])).run(place)
  // eslint-disable-next-line no-control-regex
  return written.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
}

describe('at a terminal', () => {
  it('says what there is, in 80 columns, and waits for a promise that stands alone', async () => {
    const shown = await conversation(['Promise.resolve(7 * 6)'])

    for (const line of ["  page, $('css'), text('css'), links('css')", "  items('handler', { id: 7 })"])
      expect(shown).toContain(`\n${line}`)
    expect(shown).toMatch(/^(avocet> )?42$/m)
    expect(shown.split('\n').filter((line) => columnsOf(line.trimEnd()) > 80)).toEqual([])
  })
})
