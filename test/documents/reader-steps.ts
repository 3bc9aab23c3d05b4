// What a reader of a document does: the files to save and the commands to type, in order, with what the document shows as their output.
//
// Nothing is known here of any document. A block of TypeScript is saved under the name that the text before it tells (`as \`spiders/a.ts\``), or that its first
// line has. A block of `sh` is typed line by line. A block of `text` after it is what the last command shows. What the text tells to replace is replaced.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeBlocks, ROOT } from './code-blocks.ts'

/** One thing to do. `line`: where the document says so. `aside`: in a terminal of its own, where it goes on. */
export type ReaderStep =
  | { readonly kind: 'save'; readonly path: string; readonly text: string; readonly line: number }
  | {
      readonly kind: 'type'
      readonly command: string
      readonly line: number
      readonly aside?: true
      readonly shown?: readonly string[]
    }

/** The steps of the document at `path`, from the root of the repository. */
export function readerSteps(path: string): readonly ReaderStep[] {
  const lines = textOf(path).split('\n')
  const steps: ReaderStep[] = []
  for (const { language, code, line } of codeBlocks(path)) {
    if (language === 'ts') {
      const named = /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1]
      const told = /\bas `([\w./-]+\.ts)`/.exec(paragraphBefore(lines, line - 2))?.[1] ?? named
      if (told !== undefined) steps.push({ kind: 'save', path: told, text: code, line: toldLater(lines, told, line) ?? line })
    } else if (language === 'sh') {
      const aside = /^In one terminal\b/.test(paragraphBefore(lines, line - 2)) ? ({ aside: true } as const) : {}
      code
        .trimEnd()
        .split('\n')
        .forEach((command, index) => steps.push({ kind: 'type', command, line: line + index, ...aside }))
    } else if (language === 'text') {
      const last = steps.at(-1)
      if (last?.kind === 'type') steps[steps.length - 1] = { ...last, shown: code.trimEnd().split('\n') }
    }
  }
  return steps.toSorted((a, b) => a.line - b.line)
}

/** Where the text below a block tells to save it: ``Save the spider at the top as `a.ts` ``. */
function toldLater(lines: readonly string[], name: string, line: number): number | undefined {
  const index = lines.findIndex((text, at) => at > line && text.includes(`as \`${name}\``) && /\b[Ss]ave\b/.test(text))
  return index < 0 ? undefined : index + 1
}

/** The text above the fence of a block. `fence`: its index. */
function paragraphBefore(lines: readonly string[], fence: number): string {
  let first = fence - 1
  while (first > 0 && lines[first - 1] !== '') first -= 1
  if (lines[fence - 1] === '') {
    first = fence - 2
    while (first > 0 && lines[first - 1] !== '') first -= 1
  }
  return lines.slice(Math.max(0, first), fence).join(' ')
}

/** What the document tells to change in its commands. */
export interface Replacements {
  /** ``replace `A` with `B` ``. */
  readonly replaced: readonly (readonly [string, string])[]
  /** ``leave out the `C` ``: words of the commands in which something is replaced. */
  readonly leftOut: readonly string[]
  /** The command in prose that is to be run in the clone first. */
  readonly inClone: string
}

/** Reads them. `clone`: for CLONE. */
export function replacementsOf(path: string, clone: string): Replacements {
  const prose = textOf(path).replaceAll(/\s+/g, ' ')
  const replaced = [...prose.matchAll(/replace `([^`]+)` with `([^`]+)`/g)].map(
    ([, from = '', to = '']) => [from, to.replaceAll('CLONE', clone)] as const,
  )
  const leftOut = [...prose.matchAll(/leave out the `([^`]+)`/g)].map(([, word = '']) => word)
  return { replaced, leftOut, inClone: /Run `([^`]+)` in the clone/.exec(prose)?.[1] ?? '' }
}

/** The command as a reader types it. */
export function typed(command: string, { replaced, leftOut }: Replacements): string {
  const changed = replaced.reduce((text, [from, to]) => text.replaceAll(from, to), command)
  if (changed === command) return command
  return leftOut.reduce((text, word) => text.replace(` ${word} `, ' '), changed)
}

/**
 * The first shown line that `output` lacks; undefined when it has them all, one after the other. `…` alone on a line stands for any lines, and inside a line
 * for any text. Durations, sizes and moments may differ.
 */
export function missingLine(shown: readonly string[], output: string): string | undefined {
  const lines = output.split('\n').map(settled)
  let at = -1
  let isFree = true
  for (const line of shown) {
    if (line.trim() === '…') {
      isFree = true
      continue
    }
    const wanted = new RegExp(`^${settled(line).split('…').map(escaped).join('.*')}$`)
    const found = lines.findIndex((each, index) => index > at && wanted.test(each))
    if (found < 0 || (!isFree && found !== at + 1)) return line
    at = found
    isFree = false
  }
  return undefined
}

/** With what varies from run to run made alike. */
function settled(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'MOMENT')
    .replaceAll(/\d[\d.,]* ?(?:ms|s|min|h|d|B|KiB|MiB|GiB)\b/g, 'QUANTITY')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
