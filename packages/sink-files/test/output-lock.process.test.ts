// The lock of an output, and processes that take it at the same time: real ones.
import { fork } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SinkElsewhere } from '@avocet/core/sink'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readLockFile, takeLockFile } from '../src/lock-file.ts'
import { lockOrHolder, lockOutput, NEW_CRAWL, processText } from '../src/output-lock.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'avocet-lock-'))))
afterEach(() => rmSync(folder, { recursive: true }))

interface Taken {
  readonly had: number
  readonly both: number
}

/** Another process takes it so often. */
async function taken(path: string, rounds: number): Promise<Taken> {
  const child = fork(join(import.meta.dirname, 'lock-taker.ts'), [path, `${rounds}`])
  const { promise, resolve, reject } = Promise.withResolvers<Taken>()
  child.once('message', (told) => resolve(told as Taken))
  child.once('exit', (code) => reject(new Error(`expected what it took, got its end with ${code}`)))
  return promise
}

it('is had by one of two processes at a time, also where it was left by one that died', { timeout: 60_000 }, async () => {
  const path = join(folder, 'teas.jsonl')

  const both = await Promise.all([taken(path, 300), taken(path, 300)])

  expect(both).toEqual([
    { had: 300, both: 0 },
    { had: 300, both: 0 },
  ])
  expect(readdirSync(folder).filter((name) => name !== 'teas.jsonl.lock')).toEqual([])
})

it.each(['999999999 1 crawl', ''])('of a process that died, %j, is taken over, and nothing is left behind', async (dead) => {
  const path = join(folder, 'teas.jsonl')
  writeFileSync(`${path}.lock`, dead)
  writeFileSync(`${path}.lock.gone`, '999999998 1 crawl')

  const lock = await lockOrHolder(path)

  expect(lock).toMatchObject({ release: expect.any(Function) })
  expect(readdirSync(folder)).toEqual(['teas.jsonl.lock'])
  if (typeof lock !== 'number') await lock.release()
  expect(readdirSync(folder)).toEqual([])
})

it('is had by one of two processes that have the same id, as in two containers', async () => {
  const path = join(folder, 'teas.jsonl.lock')
  const isDead = (): Promise<boolean> => Promise.resolve(false)

  for (let round = 0; round < 100; round++) {
    const texts = ['1 111 crawl', '1 222 crawl']
    const holders = await Promise.all(texts.map((text) => takeLockFile({ path, text, isDead })))
    const [has, ...others] = texts.filter((_, n) => holders[n] === undefined)
    expect(others).toEqual([])
    expect(await readLockFile(path)).toBe(has)
    rmSync(path)
  }

  expect(readdirSync(folder)).toEqual([])
})

it('is waited for where the other process only looks whether it may begin a new crawl, and not where it writes another one', async () => {
  const path = join(folder, 'teas.jsonl')
  writeFileSync(path, '')
  const other = await processText(process.ppid)

  writeFileSync(`${path}.lock`, `${other} ${NEW_CRAWL}`)
  await expect(lockOutput(path, 'abc')).rejects.toBeInstanceOf(SinkElsewhere)
  writeFileSync(`${path}.lock`, `${other} def`)
  await expect(lockOutput(path, 'abc')).rejects.toMatchObject({ code: 'AVO_OUTPUT_UNWRITABLE' })
})

it('of a process that died before it had removed what it was linked from is taken over, and nothing is left', async () => {
  const path = join(folder, 'teas.jsonl')
  for (const name of ['lock', 'lock.999999999-1.new']) writeFileSync(`${path}.${name}`, '999999999 1 crawl')

  const lock = await lockOrHolder(path)

  expect(readdirSync(folder)).toEqual(['teas.jsonl.lock'])
  if (typeof lock !== 'number') await lock.release()
})

it('removes what processes left that died before they had it', async () => {
  const path = join(folder, 'teas.jsonl')
  const living = (await processText(process.ppid))?.replace(' ', '-')
  const left = ['lock.999999999-1.new', 'lock.gone.999999998-1.new', `lock.${living}.new`, 'lock.old.new']
  for (const name of left) writeFileSync(`${path}.${name}`, '')

  const lock = await lockOrHolder(path)

  expect(readdirSync(folder).toSorted()).toEqual([
    ...['lock', `lock.${living}.new`, 'lock.old.new'].map((name) => `teas.jsonl.${name}`),
  ])
  if (typeof lock !== 'number') await lock.release()
})

it('says what to do where it cannot be made', async () => {
  const path = join(folder, 'not-there', 'teas.jsonl')

  await expect(lockOrHolder(path)).rejects.toThrow(
    expect.objectContaining({
      code: 'AVO_OUTPUT_UNWRITABLE',
      message: expect.stringMatching(
        /teas\.jsonl\.lock: expected a file that can be made here, got: ENOENT.*; mend that, or name/,
      ),
    }),
  )
})
