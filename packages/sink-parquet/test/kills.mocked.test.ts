// Kills at every call that changes a file, and around every mark: whatever was written, each item is in the files once when a later run has finished.
import type * as FileCalls from 'node:fs/promises'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it, vi } from 'vitest'
import { parquet } from '../src/index.ts'
import { driveSink, sinkItem, type SinkProgress } from '@avocet/testkit/contracts'

const power = vi.hoisted(() => ({ steps: 0, killedAt: Infinity }))

/** Once killed, a process changes nothing any more. */
function step(): void {
  power.steps++
  if (power.steps >= power.killedAt) throw new Error('killed')
}

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileCalls>()
  const open = async (...call: Parameters<typeof real.open>): Promise<FileCalls.FileHandle> => {
    if (call[1] !== 'r') step()
    const file = await real.open(...call)
    for (const name of ['write', 'sync'] as const) {
      const act = file[name].bind(file) as (...given: unknown[]) => Promise<unknown>
      Object.assign(file, {
        [name]: async (...given: unknown[]) => {
          step()
          const result = await act(...given)
          step()
          return result
        },
      })
    }
    return file
  }
  const rename = async (...call: Parameters<typeof real.rename>): Promise<void> => {
    step()
    await real.rename(...call)
    step()
  }
  const link = async (...call: Parameters<typeof real.link>): Promise<void> => {
    step()
    await real.link(...call)
    step()
  }
  const rm = async (...call: Parameters<typeof real.rm>): Promise<void> => {
    step()
    await real.rm(...call)
  }
  return { ...real, open, link, rename, rm }
})

const items = Array.from({ length: 23 }, (_, n) => sinkItem(n + 1))

async function crawl(folder: string, kept: SinkProgress, killedAt: number): Promise<boolean> {
  Object.assign(power, { steps: 0, killedAt })
  const run = driveSink(parquet(folder, { rowsPerFile: 6 }), items, { kept, keeping: step })
  return run.then(
    () => true,
    () => false,
  )
}

async function numbersIn(folder: string): Promise<unknown[]> {
  const names = readdirSync(folder).sort()
  const rows = await Promise.all(
    names.map((name) => parquetReadObjects({ file: new Uint8Array(readFileSync(join(folder, name))).buffer })),
  )
  return rows.flat().map(({ n }) => n)
}

describe('a crawl that is killed', () => {
  it('has each item in its files once, wherever it was killed, and every finished file can be read', async () => {
    const expected = items.map(({ seq }) => seq)
    let kills = 0
    for (let killedAt = 1; ; killedAt++) {
      const folder = mkdtempSync(join(tmpdir(), 'avocet-parquet-'))
      const kept: SinkProgress = { refused: new Map() }
      try {
        const finished = await crawl(folder, kept, killedAt)
        for (const name of readdirSync(folder).filter((name) => !name.startsWith('.')))
          await parquetReadObjects({ file: new Uint8Array(readFileSync(join(folder, name))).buffer })
        if (finished) break
        kills++
        // A second kill, elsewhere, before it is left in peace.
        await crawl(folder, kept, 1 + (killedAt % 13))
        expect(await crawl(folder, kept, Infinity)).toBe(true)
        expect(await numbersIn(folder), `killed at step ${killedAt}`).toEqual(expected)
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
    expect(kills).toBeGreaterThan(40)
  })
})
