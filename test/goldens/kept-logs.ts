// How a decision log is kept: its first lines as they are, of the rest a digest for every fifty. Small, and a difference can be shown or narrowed down.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

const WHOLE_LINES = 300
const LINES_A_DIGEST = 50
const CONTEXT = 5

/** What is kept of a log, a line each. */
export function abridged(log: readonly string[]): readonly string[] {
  const rest = log.slice(WHOLE_LINES)
  const digests = Array.from({ length: Math.ceil(rest.length / LINES_A_DIGEST) }, (_, n) => {
    const lines = rest.slice(n * LINES_A_DIGEST, (n + 1) * LINES_A_DIGEST)
    return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 8)
  })
  return [...log.slice(0, WHOLE_LINES), ...digests, `${String(log.length)} lines`, log.at(-1) ?? '']
}

export function keep(name: string, log: readonly string[]): void {
  writeFileSync(pathOf(name), brotliCompressSync(abridged(log).join('\n')))
}

/** How a log differs from the one that is kept: the first difference with what is around it, or nothing. */
export function differenceFromKept(name: string, log: readonly string[]): string | undefined {
  if (!existsSync(pathOf(name))) return `no log of ${name} is kept: npm run goldens -- --write ${name}`
  const kept = brotliDecompressSync(readFileSync(pathOf(name)))
    .toString()
    .split('\n')
  return difference(kept, log)
}

/** The same, of what is kept as text. */
export function difference(kept: readonly string[], log: readonly string[]): string | undefined {
  const today = abridged(log)
  const at = Array.from({ length: Math.max(kept.length, today.length) }).findIndex((_, n) => kept[n] !== today[n])
  if (at < 0) return undefined
  const around = kept.slice(Math.max(0, at - CONTEXT), at).map((line) => `    ${line}`)
  if (at < WHOLE_LINES)
    return [
      `line ${String(at + 1)}:`,
      ...around,
      ...kept.slice(at, at + CONTEXT).map((line) => `  - ${line}`),
      ...log.slice(at, at + CONTEXT).map((line) => `  + ${line}`),
    ].join('\n')
  const from = WHOLE_LINES + (at - WHOLE_LINES) * LINES_A_DIGEST
  const lines = log.slice(from, from + LINES_A_DIGEST).map((line) => `  + ${line}`)
  const ends = [...kept.slice(-2).map((line) => `  - ${line}`), ...today.slice(-2).map((line) => `  + ${line}`)]
  return [
    `one of the lines ${String(from + 1)} to ${String(from + LINES_A_DIGEST)}, which are today:`,
    ...lines,
    'ends:',
    ...ends,
  ].join('\n')
}

function pathOf(name: string): string {
  return join(import.meta.dirname, 'logs', `${name}.br`)
}
