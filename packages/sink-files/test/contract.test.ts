// The sink contract, for each kind of file on the disk.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sink } from '@avocet/core/sink'
import { sinkContract } from '@avocet/testkit/contracts'
import { csv, json, jsonl } from '../src/index.ts'

type Numbered = { readonly n: number }

const KINDS: readonly (readonly [file: string, sink: (path: string) => Sink, read: (text: string) => Numbered[]])[] = [
  ['items.jsonl', (path) => jsonl(path), linesOf],
  ['appended.jsonl', (path) => jsonl(path, { mode: 'append' }), linesOf],
  ['items.json', (path) => json(path), (text) => JSON.parse(text) as Numbered[]],
  ['items.csv', (path) => csv(path), numbersOf],
  ['chosen.csv', (path) => csv(path, { columns: ['n'] }), numbersOf],
]

for (const [file, sink, read] of KINDS)
  sinkContract(
    file,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'avocet-files-'))
      const path = join(folder, file)
      let last: Sink | undefined
      return {
        // A process that is killed has no file open any more, and writes nothing.
        sink: () => {
          const earlier = last
          const next = sink(path)
          last = next
          return { ...next, open: async (session) => (await earlier?.close?.(), await next.open?.(session)) }
        },
        written: async () => (existsSync(path) ? read(readFileSync(path, 'utf8')) : []),
        dispose: async () => {
          await last?.close?.()
          rmSync(folder, { recursive: true })
        },
      }
    },
    { exactlyOnce: true },
  )

function linesOf(text: string): Numbered[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Numbered]))
}

function numbersOf(text: string): Numbered[] {
  const [header = '', ...rows] = text.trimEnd().split('\n')
  const at = header.split(',').indexOf('n')
  return rows.map((row) => ({ n: Number(row.split(',')[at]) }))
}
