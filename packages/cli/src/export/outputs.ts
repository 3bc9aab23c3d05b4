// From `-o` and `-O` on the command line to sinks: the format by the file's ending, `-` for standard output.
import { extname, resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { SinkElsewhere, type Sink } from '@avocet/core/sink'
import type { Clock } from '@avocet/core/store'
import { csvFormat, FileSink, jsonArray, jsonLines, NEW_CRAWL, SOME_CRAWL, type Format } from '@avocet/sink-files/outputs'
import { outputName } from '@avocet/project/store'
import type { Output } from '@avocet/project/options'
import { StreamSink, type OutputStream } from './stream-sink.ts'

/** Where outputs are made. */
export interface OutputPlace {
  /** Relative paths start here. */
  readonly folder: string
  readonly stdout: OutputStream
  readonly clock: Clock
  /** The address of the store, by which marks are named (`outputName`). */
  readonly storePath?: string
  readonly say: (line: string) => void
  /** With `-O -`: items that this command has printed are not printed again. */
  readonly resumesStdout?: boolean
  /** Another process of the crawl may have a file. */
  readonly isShared?: boolean
  /** The crawl has no store yet: such a process does not know the id of its crawl either. */
  readonly isNew?: boolean
  /** Files are opened once this process is the one that writes them, and not at once. */
  readonly opensLate?: boolean
  /** Standard output takes nothing more: AVO_OUTPUT_CLOSED when its reader has gone. */
  readonly failed?: (error: unknown) => void
}

/** An output that is open. */
export interface OutputSink extends Sink {
  close(): void | Promise<void>
}

interface Ending {
  readonly appendable: boolean
  readonly format: (place: OutputPlace) => Format
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  '.jsonl': { appendable: true, format: jsonLines },
  '.ndjson': { appendable: true, format: jsonLines },
  '.json': { appendable: false, format: jsonArray },
  '.csv': { appendable: true, format: ({ say }) => csvFormat({ say }) },
}

/**
 * Opens every output, so that one that cannot be written is found before anything begins.
 *
 * @throws AVO_USAGE for an unknown ending or a file named twice, AVO_OUTPUT_UNWRITABLE.
 */
export async function openOutputs(outputs: readonly Output[], place: OutputPlace): Promise<readonly OutputSink[]> {
  const paths = outputs.map(({ path }) => (path === '-' ? '-' : resolve(place.folder, path)))
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) throw new AvocetError('AVO_USAGE', `expected each output once, got ${twice} twice`)
  for (const path of paths) endingOf(path)
  const opened: OutputSink[] = []
  try {
    for (const [index, path] of paths.entries()) {
      const mode = outputs[index]?.mode ?? 'append'
      opened.push(path === '-' ? streamSink(mode, place) : await openFile(path, mode, place))
    }
    return opened
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

/** Lets go of every output. */
export async function closeAll(sinks: readonly OutputSink[]): Promise<void> {
  for (const sink of sinks) await sink.close()
}

function streamSink(mode: Output['mode'], { stdout, clock, resumesStdout = false, failed = () => {} }: OutputPlace): StreamSink {
  return new StreamSink({ stream: stdout, mode, resumes: resumesStdout, clock, failed })
}

async function openFile(path: string, mode: Output['mode'], place: OutputPlace): Promise<FileSink> {
  const { storePath, say, opensLate = false, isShared = false, isNew = false } = place
  const { appendable, format } = endingOf(path)
  const name = outputName(path, storePath)
  const sink = new FileSink({
    path,
    name,
    mode,
    appendable,
    format: format(place),
    say,
  })
  if (opensLate) return sink
  if (!isShared) await sink.prepare()
  else if ((await isElsewhere(sink, isNew)) && mode === 'overwrite')
    say(`${path}: another process of this crawl writes it; -O continues it, as -o does, and replaces nothing`)
  return sink
}

/** Whether another process of the crawl has it. */
function isElsewhere(sink: FileSink, isNew: boolean): Promise<boolean> {
  return sink.prepare(isNew ? NEW_CRAWL : SOME_CRAWL).then(
    () => false,
    (error: unknown) => {
      if (error instanceof SinkElsewhere) return true
      throw error
    },
  )
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
