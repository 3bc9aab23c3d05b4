// Runs the command as its users do: as a process, from the sources.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

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
  readonly env?: Readonly<Record<string, string>>
  /** Largest file that it may write, in KiB. */
  readonly maxFileKib?: number
  /** Written to its standard input. */
  readonly input?: string
  /** Called as soon as it runs. */
  readonly meanwhile?: (child: ChildProcess) => void
}

/** Runs `avocet` with `words`, and waits for its end. */
export async function runCli(
  words: readonly string[],
  { folder, env = {}, maxFileKib, input = '', meanwhile }: CliOptions,
): Promise<CliRun> {
  const command = [process.execPath, '--conditions=@avocet/source', BIN, ...words]
  const limited =
    maxFileKib === undefined ? command : ['bash', '--norc', '-c', `ulimit -f ${maxFileKib} && exec "$@"`, 'bash', ...command]
  const [program = '', ...rest] = limited
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], NO_COLOR: '1', ...env },
    timeout: MAX_RUN_MS,
    killSignal: 'SIGKILL',
  })
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
