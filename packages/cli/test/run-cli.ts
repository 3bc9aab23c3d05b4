// Runs the command from the sources: in this process, by the function that bin/avocet.js calls, or as its users do, as a process of its own.
import { spawn, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@avocet/core/store'
import { main } from '../src/main.ts'
import type { CommandProcess } from '../../project/src/place/place.ts'
import { importAnew } from './import-anew.ts'

const BIN = fileURLToPath(new URL('../bin/avocet.js', import.meta.url))

/** Shorter than a test's own limit, so that none leaves a process behind. */
const MAX_RUN_MS = 45_000

/** How a run ended. */
export interface CliRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where and how to run. */
export interface CliOptions {
  readonly folder: string
  /** Code of a spider sees that of this process, so it needs `spawnCli` where it reads any. */
  readonly env?: Readonly<Record<string, string>>
  /** Written to its standard input. */
  readonly input?: string
}

/** Where and how to run a process. */
export interface SpawnOptions extends CliOptions {
  /** Largest file that it may write, in KiB. */
  readonly maxFileKib?: number
  /** Called as soon as it runs. */
  readonly meanwhile?: (child: ChildProcess) => void
}

/** What looks at a page or a few: nobody waits there for politeness, so time runs twenty times as fast. */
const OF_ONE_PAGE: ReadonlySet<string | undefined> = new Set(['fetch', 'parse', 'shell', 'check'])

/** Runs `avocet` with `words` in this process, and waits for its end. A spider that was changed since the last run is read again. */
export async function runCli(words: readonly string[], { folder, env = {}, input = '' }: CliOptions): Promise<CliRun> {
  importAnew()
  const [stdout, stderr] = [new Collector(), new Collector()]
  const events = new EventEmitter()
  const host: CommandProcess = {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]) as unknown as CommandProcess['stdin'],
    stdout: stdout as unknown as CommandProcess['stdout'],
    stderr: stderr as unknown as CommandProcess['stderr'],
    env: environment(env),
    ...(OF_ONE_PAGE.has(words[0]) && { clock: systemClock({ scale: 20 }) }),
    cwd: () => folder,
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
  }
  const code = await main(words, host)
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** Runs it as a process: for signals, pipes, limits, exits, and what holds for a whole process. */
export async function spawnCli(words: readonly string[], options: SpawnOptions): Promise<CliRun> {
  const { folder, env = {}, maxFileKib, input = '', meanwhile } = options
  const command = [process.execPath, '--conditions=@avocet/source', BIN, ...words]
  const limited =
    maxFileKib === undefined ? command : ['bash', '--norc', '-c', `ulimit -f ${maxFileKib} && exec "$@"`, 'bash', ...command]
  const [program = '', ...rest] = limited
  const child = spawn(program, rest, { cwd: folder, env: environment(env), timeout: MAX_RUN_MS, killSignal: 'SIGKILL' })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  meanwhile?.(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], NO_COLOR: '1', ...env }
}

/** No terminal, like a pipe. */
class Collector extends Writable {
  readonly #chunks: Buffer[] = []

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }
}
