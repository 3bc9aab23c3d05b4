// From `-o` and `-O` on the command line to exports: the format by the file's ending, `-` for standard output.
import { dirname, extname, relative, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/tools'
import type { Output } from '../options/crawl-options.ts'
import { writeRecords } from '../output/machines.ts'
import { csv } from './csv.ts'
import { openFileExport } from './file-export.ts'
import { jsonArray, jsonl, type Format } from './format.ts'
import { ITEMS_PER_READ, type ExportSource, type ItemExport } from './item-export.ts'

/** Where outputs are made. */
interface OutputPlace {
  /** Relative paths start here. */
  readonly folder: string
  readonly stdout: Writable
  /** Marks are kept under paths relative to this file's folder, so that a project that is moved as a whole goes on. */
  readonly storePath?: string
  readonly say: (line: string) => void
  /** CSV cells that a spreadsheet takes for formulas are written as they are. */
  readonly csvFormulas?: boolean
}

interface Ending {
  readonly appendable: boolean
  readonly format: (place: OutputPlace) => Format
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  '.jsonl': { appendable: true, format: jsonl },
  '.ndjson': { appendable: true, format: jsonl },
  '.json': { appendable: false, format: jsonArray },
  '.csv': { appendable: true, format: ({ say, csvFormulas = false }) => csv({ say, formulas: csvFormulas }) },
}

/**
 * Opens every output, so that one that cannot be written is found before anything begins.
 *
 * @throws AVO_USAGE for an unknown ending or a file named twice, AVO_OUTPUT_UNWRITABLE.
 */
export async function openOutputs(outputs: readonly Output[], place: OutputPlace): Promise<readonly ItemExport[]> {
  const paths = outputs.map(({ path }) => (path === '-' ? '-' : resolve(place.folder, path)))
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) throw new AvocetError('AVO_USAGE', `expected each output once, got ${twice} twice`)
  for (const path of paths) endingOf(path)
  const opened: ItemExport[] = []
  try {
    for (const [index, path] of paths.entries()) {
      opened.push(path === '-' ? streamExport(place.stdout) : await openFile(path, outputs[index]?.mode ?? 'append', place))
    }
    return opened
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

/** Lets go of every output. */
export async function closeAll(exports: readonly ItemExport[]): Promise<void> {
  for (const target of exports) await target.close()
}

function openFile(path: string, mode: Output['mode'], place: OutputPlace): Promise<ItemExport> {
  const { storePath, say } = place
  const { appendable, format } = endingOf(path)
  const name = storePath === undefined ? path : relative(dirname(storePath), path)
  return openFileExport({ path, name, mode, appendable, format: format(place), say })
}

function endingOf(path: string): Ending {
  const ending = path === '-' ? '.jsonl' : extname(path).toLowerCase()
  const known = Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined
  if (known) return known
  const endings = Object.keys(ENDINGS)
  throw new AvocetError(
    'AVO_USAGE',
    `${path}: expected a file ending in ${endings.join(', ')} or - for standard output${didYouMean(ending, endings)}`,
  )
}

// Prints items to standard output, one JSON text a line, as they are committed.
//
// What was printed is marked under `-` after the stream has taken it, so a later run of the same crawl prints only what is new. A kill
// between the two prints that batch again: a pipe cannot be truncated, so this is at least once.

/** The name of the mark: the way standard output is written on a command line. */
const TARGET = '-'

/**
 * Exports to `stream`, which stays open.
 *
 * @throws AVO_OUTPUT_CLOSED from `catchUp` when the reader of the stream has gone.
 */
function streamExport(stream: Writable): ItemExport {
  let source: ExportSource | undefined
  let itemSeq = 0
  return {
    async begin(given) {
      source = given
      itemSeq = (await given.exportMark(TARGET))?.itemSeq ?? 0
    },
    async catchUp() {
      if (!source) throw new AvocetError('AVO_INTERNAL', 'expected begin() before catchUp()')
      for (;;) {
        const items = await source.reader.items({ afterSeq: itemSeq, limit: ITEMS_PER_READ })
        const last = items.at(-1)
        if (last === undefined) return
        await writeRecords(
          stream,
          items.map(({ json }) => json),
        )
        itemSeq = last.seq
        await source.markExport(TARGET, { itemSeq, bytes: 0 })
      }
    },
    close: async () => undefined,
  }
}
