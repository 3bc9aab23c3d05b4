// `avocet shell` at a terminal: its help, and its history.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
  it('.help lists what there is with an example of each, beside the commands of the terminal, in 80 columns', async () => {
    const shown = await conversation(['.help'])

    for (const line of [
      '  page.title ',
      "  links('.offer a') ",
      '  fetch(page.url, { refetch: true })',
      '  .reload ',
      '  .editor ',
    ])
      expect(shown).toContain(`\n${line}`)
    expect(shown.split('\n').filter((line) => columnsOf(line.trimEnd()) > 80)).toEqual([])
  })

  it('the history has lines that threw, also one below another', async () => {
    await conversation(['page.title', 'items()', "throw new Error('x')", '1 + 1'])

    const kept = (await readFile(join(folder, '.avocet/shell_history'), 'utf8')).split('\n')
    expect(kept).toEqual(["'the ' + 'end'", '1 + 1', "throw new Error('x')", 'items()', 'page.title'])
  })
})
