// Kills and full disks at every call: what the next process finds is enough to get the file whole, once, and nothing else stays.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failingDisk, type Fault } from './failing-disk.ts'
import { folderAt, save, type Answer } from './saving.ts'
import { filesIn, temporaryFolder } from './temporary-folder.ts'

const PIECE = 4_096
const FILE = Buffer.concat(Array.from({ length: 12 }, (_, n) => Buffer.alloc(PIECE, `piece ${n}`)))
const SHA256 = createHash('sha256').update(FILE).digest('hex')

/** A server that knows ranges, and obeys If-Range. */
function answer(from: number, isCut = false): Answer {
  const headers =
    from > 0
      ? { 'content-range': `bytes ${from}-${FILE.byteLength - 1}/${FILE.byteLength}` }
      : { 'content-length': String(FILE.byteLength) }
  const body = Array.from({ length: 12 }, (_, n) => FILE.subarray(Math.max(from, n * PIECE), Math.max(from, (n + 1) * PIECE)))
  const sent = isCut ? body.slice(0, 10) : body
  return {
    status: from > 0 ? 206 : 200,
    headers: { ...headers, etag: '"v1"' },
    body: sent.filter((piece) => piece.byteLength > 0),
    isCut,
  }
}

/** One exchange of a process whose disk is `disk`; what the process dies of is nobody's concern. */
async function exchange(
  root: string,
  fault?: Fault,
  isCut = false,
): Promise<{ readonly asked: number; readonly calls: readonly string[]; readonly outcome: unknown }> {
  const { disk, calls } = failingDisk(fault ?? { at: Infinity, kind: 'full' })
  const folder = folderAt(root, disk)
  try {
    let asked = 0
    const left = await folder.find('0123456789abcdef0123456789abcdef')
    asked = left?.held.bytes ?? 0
    const { outcome } = await save(folder, answer(asked, isCut), { left, noteEveryBytes: 8 * PIECE })
    return { asked, calls, outcome }
  } catch (error) {
    await folder.settled()
    return { asked: 0, calls, outcome: error }
  }
}

function expectWhole(root: string): void {
  const path = `${SHA256.slice(0, 2)}/${SHA256}.bin`
  expect(filesIn(root)).toEqual([path])
  expect(
    createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex'),
  ).toBe(SHA256)
}

/** Calls of an exchange without a fault, on what `prepare` left. */
async function callsOf(prepare: (root: string) => Promise<unknown>): Promise<readonly string[]> {
  const root = temporaryFolder()
  await prepare(root)
  return (await exchange(root)).calls
}

const nothing = async (): Promise<void> => undefined
const aPart = (root: string): Promise<unknown> => exchange(root, undefined, true)

describe.each([
  ['a new file', nothing],
  ['a file that is resumed', aPart],
] as const)('%s', (_, prepare) => {
  it.each(['killed', 'full', 'half'] as const)('is whole and alone after any call that is %s', async (kind) => {
    const calls = await callsOf(prepare)
    expect(calls).toEqual(expect.arrayContaining(['create', 'write', 'sync', 'rename', 'syncFolder', 'remove']))

    for (const at of calls.keys()) {
      if (kind === 'half' && calls[at] !== 'write') continue
      const root = temporaryFolder()
      await prepare(root)
      await exchange(root, { at, kind })
      const { outcome } = await exchange(root)

      expect(outcome, `call ${at}: ${calls[at]}`).toMatchObject({ sha256: SHA256, bytes: FILE.byteLength })
      expectWhole(root)
    }
  })
})

describe('a part', () => {
  it('costs a kill at most what came since it was last noted', async () => {
    const root = temporaryFolder()
    const writes = (await callsOf(nothing)).lastIndexOf('write')
    await exchange(root, { at: writes, kind: 'killed' })

    expect((await exchange(root)).asked).toBe(8 * PIECE)
    expectWhole(root)
  })

  it('stays as it was noted where the disk is full, and goes on when there is room', async () => {
    const root = temporaryFolder()
    const writes = (await callsOf(nothing)).lastIndexOf('write')
    const { outcome } = await exchange(root, { at: writes, kind: 'full' })

    expect(outcome).toMatchObject({ code: 'AVO_FILE_UNWRITABLE', blame: 'local', message: expect.stringContaining('ENOSPC') })
    expect((await exchange(root)).asked).toBe(8 * PIECE)
  })

  it('that was ended by hand goes on at its last byte', async () => {
    const root = temporaryFolder()
    await aPart(root)

    expect((await exchange(root)).asked).toBe(10 * PIECE)
  })
})
