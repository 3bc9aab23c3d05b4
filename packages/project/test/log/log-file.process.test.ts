// A log file that others move away, cut off, or put on a disk that is full.
import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdir, mkdtemp, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '@avocet/simulator'
import { LogFile } from '../../src/log/log-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-log-file-'))
})
afterEach(() => rm(folder, { recursive: true }))

const ROTATION = { maxBytes: 10_000_000, keep: 2, clock: new VirtualClock() }

/** The numbers of the lines in a file. */
async function numbersIn(name: string): Promise<number[]> {
  const text = await readFile(join(folder, name), 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { n: number }).n)
}

/** Resolves once the file has the line. */
async function written(name: string, n: number): Promise<void> {
  await expect.poll(() => numbersIn(name).catch(() => [])).toContain(n)
}

describe('a log file', () => {
  it('that is moved away is opened anew, and one that is cut off is appended to', async () => {
    const file = new LogFile({ ...ROTATION, path: join(folder, 'a.log'), tell: () => undefined })
    file.write({ n: 1 })
    await written('a.log', 1)

    await rename(join(folder, 'a.log'), join(folder, 'a.log-20261127'))
    file.write({ n: 2 })
    await written('a.log', 2)
    await truncate(join(folder, 'a.log'))
    file.write({ n: 3 })
    await file.close()

    expect(await numbersIn('a.log-20261127')).toEqual([1])
    expect(await numbersIn('a.log')).toEqual([3])
  })

  it('is rotated before it is too large, and the oldest goes', async () => {
    const file = new LogFile({ ...ROTATION, maxBytes: 30, path: join(folder, 'a.log'), tell: () => undefined })
    for (let n = 1; n <= 5; n++) {
      file.write({ n, text: 'twenty characters' })
      await written('a.log', n)
    }
    await file.close()

    expect([await numbersIn('a.log'), await numbersIn('a.log.1'), await numbersIn('a.log.2')]).toEqual([[5], [4], [3]])
  })

  it('on a full disk is told of once, costs what is said meanwhile, and says how much that is when it can be written again', async () => {
    const told: string[] = []
    const path = join(folder, 'missing/a.log')
    const file = new LogFile({ ...ROTATION, path, tell: (line) => told.push(line) })
    file.write({ n: 1 })
    await expect.poll(() => told).toHaveLength(1)
    file.write({ n: 2 })
    await file.close()
    await mkdir(join(folder, 'missing'))
    file.write({ n: 3 })
    await file.close()

    expect(told[0]).toContain('the log cannot be written, the crawl goes on without it')
    expect(told).toHaveLength(1)
    const [gap = '', line = ''] = (await readFile(path, 'utf8')).split('\n')
    expect(JSON.parse(gap)).toMatchObject({ event: 'log-gap', level: 'warn', lost: 2 })
    expect(JSON.parse(line)).toEqual({ n: 3 })
  })

  it('of which a write broke off has the next lines in lines of their own, and an outage after that is told of, too', async () => {
    const path = join(folder, 'pipe')
    execFileSync('mkfifo', [path])
    const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const waits = async (): Promise<string> => (await reader.read(Buffer.alloc(200_000))).buffer.toString().replace(/\0+$/, '')
    const told: string[] = []
    const file = new LogFile({ ...ROTATION, path, tell: (line) => told.push(line) })
    // A pipe takes 64 KiB, and then nothing until somebody reads.
    file.write({ n: 1 })
    file.write({ n: 2, text: 'x'.repeat(100_000) })
    await expect.poll(() => told).toHaveLength(1)
    const broken = (await waits()).split('\n')
    file.write({ n: 3 })
    let next = ''
    await expect.poll(async () => (next += await waits())).toContain('{"n":3}\n')
    file.write({ n: 4, text: 'x'.repeat(100_000) })
    await expect.poll(() => told).toHaveLength(2)
    const partOf4 = await waits()
    file.write({ n: 5 })
    await file.close()
    const after = (await waits()).split('\n')
    await reader.close()

    expect(broken).toEqual(['{"n":1}', expect.stringMatching(/^\{"n":2,"text":"x+$/)])
    expect(next).toMatch(/^\n\{.*"event":"log-gap".*"lost":1\}\n\{"n":3\}\n$/)
    expect(partOf4).toMatch(/^\{"n":4,"text":"x+$/)
    expect(after[0]).toBe('')
    expect(JSON.parse(after[1] ?? '')).toMatchObject({ event: 'log-gap', lost: 1 })
    expect(after.slice(2)).toEqual(['{"n":5}', ''])
  })

  it('keeps at most a MiB of lines in memory, however slow the disk is', async () => {
    const file = new LogFile({ ...ROTATION, path: join(folder, 'a.log'), tell: () => undefined })
    for (let n = 0; n < 3_000; n++) file.write({ n, text: 'x'.repeat(1_000) })
    await file.close()
    file.write({ n: 9_999 })
    await file.close()

    const lines = (await readFile(join(folder, 'a.log'), 'utf8')).trimEnd().split('\n')
    const gaps = lines
      .map((line) => JSON.parse(line) as { event?: string; lost?: number })
      .filter(({ event }) => event === 'log-gap')
    expect(lines.length).toBeLessThan(1_100)
    expect(gaps).toEqual([expect.objectContaining({ level: 'warn', lost: 3_000 - (lines.length - 2) })])
  })

  it('that is a device is written to, and not rotated', async () => {
    const file = new LogFile({ ...ROTATION, maxBytes: 1, path: '/dev/null', tell: (line) => expect.fail(line) })
    file.write({ n: 1 })
    await file.close()

    expect(await stat('/dev/null')).toMatchObject({ size: 0 })
  })
})
