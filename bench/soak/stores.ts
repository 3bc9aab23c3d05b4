// The stores that a soak runs on: one in RAM that outlives its runs, or a file that several processes open.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFrontier } from 'avocet'
import type { Clock, Frontier, FrontierReader, ItemRecord } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'

const ALL = { afterSeq: 0, limit: 100_000_000 }

/** A store and its doors. */
export interface SoakStore {
  /** The store as one more process opens it. */
  open(clock: Clock): OpenStore
  /** What is in it, from the first `open` on. */
  reader(): Promise<FrontierReader>
  items(): Promise<readonly ItemRecord[]>
  close(): Promise<void>
}

/** The store in the hands of one process. */
export interface OpenStore {
  readonly frontier: Frontier
  /** The process has died: whoever looks for it finds nobody. */
  killed(): void
  /** The process is over in order. */
  close(): Promise<void>
}

/** In RAM: opened again without a close, it takes the run before for dead. */
export function storeInRam(): SoakStore {
  const frontier = memoryFrontier()
  return {
    open: () => ({ frontier, killed: () => {}, close: () => frontier.close() }),
    reader: async () => frontier.reader,
    items: () => frontier.reader.items(ALL),
    close: async () => {},
  }
}

/** A file in a folder of its own, gone at the end. */
export function storeInFile(): SoakStore {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-soak-'))
  const path = join(folder, 'soak.db')
  const dead: Frontier[] = []
  let opened: FrontierReader | undefined
  const reader = async (): Promise<FrontierReader> => (opened ??= await openReader(path))
  return {
    open(clock) {
      const frontier = sqlite(path, { synchronous: 'normal', clock })
      let process: number | undefined
      return {
        frontier: new Proxy(frontier, {
          get(target, key) {
            if (key !== 'open') return Reflect.get(target, key, target) as unknown
            return async (...args: Parameters<Frontier['open']>) => {
              const info = await target.open(...args)
              process = onFile(path, (file) => file.prepare<[], number>('SELECT max(id) FROM process').pluck().get())
              return info
            }
          },
        }),
        killed() {
          dead.push(frontier)
          // Its row is of a process that began at another time: so nobody takes this very process for it.
          if (process !== undefined)
            onFile(path, (file) => file.prepare("UPDATE process SET started = 'killed' WHERE id = ?").run(process))
        },
        close: () => frontier.close(),
      }
    },
    reader,
    items: async () => (await reader()).items(ALL),
    async close() {
      await opened?.close()
      // What the dead had open would be kept until the end of this very process.
      for (const frontier of dead) await frontier.close().catch(() => undefined)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function onFile<T>(path: string, work: (file: Database.Database) => T): T {
  const file = new Database(path)
  try {
    return work(file)
  } finally {
    file.close()
  }
}
