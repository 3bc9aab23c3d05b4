// Starts the command `serve` in a process of its own and waits until it is ready.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AvocetError } from '@avocet/core'
import type { SiteModel } from '@avocet/simulator'
import type { ServedWorld } from './serve.ts'

/** A rough web in a separate process. */
export interface SpawnedRoughWeb {
  /** The model with the origins at which it is served. */
  readonly model: SiteModel
  readonly port: number
  readonly pid: number
  urlOf(host: string): string
  close(): Promise<void>
}

/** How it is started. */
interface SpawnOptions {
  readonly log?: string
  readonly port?: number
}

/**
 * Serves `model` from another process, which ends with this one. `log` names a file that gets one line of JSON (`ServedRequest`) a request.
 *
 * Throws AVO_CONFIG_INVALID when the process ends before it is ready.
 */
export async function spawnRoughWeb(model: SiteModel, options: SpawnOptions = {}): Promise<SpawnedRoughWeb> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-rough-web-'))
  const spec = join(folder, 'model.json')
  writeFileSync(spec, JSON.stringify(model.spec))
  const child = spawn(process.execPath, serveArguments(spec, options), { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  try {
    const line = await Promise.race([firstLine(child.stdout), ended])
    if (line === undefined)
      throw new AvocetError('AVO_CONFIG_INVALID', 'the rough web ended before it was ready; its output is above')
    const world = JSON.parse(line) as ServedWorld
    const bases = new Map(world.hosts.map(({ name, base }) => [name, base]))
    const urlOf = (host: string): string => bases.get(host) ?? `http://${host}.invalid`
    return {
      model: model.withBase(urlOf),
      port: world.port,
      pid: child.pid ?? 0,
      urlOf,
      async close() {
        child.stdin.end()
        await ended
      },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function serveArguments(spec: string, { log, port = 0 }: SpawnOptions): string[] {
  const command = join(import.meta.dirname, 'serve.ts')
  // From the sources where this process runs from them, otherwise from what was built.
  const conditions = process.execArgv.filter((word) => word.startsWith('--conditions='))
  return [...conditions, command, '--spec', spec, '--port', String(port), ...(log === undefined ? [] : ['--log', log])]
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line
  return undefined
}
