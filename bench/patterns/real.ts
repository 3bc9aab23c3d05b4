// A contestant on real sockets: a fresh rough web for each, and one clock on both sides that runs `scale` times as fast.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import type { SiteModel } from '@avocet/simulator'
import { contest, type Figures } from './contest.ts'
import type { Contestant } from './contestants.ts'

/** Runs it. All times in the figures are those of the model. */
export async function contestReal(contestant: Contestant, model: SiteModel, scale: number): Promise<Figures> {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  const script = fileURLToPath(new URL('rough-server.ts', import.meta.url))
  const child = spawn(process.execPath, [...conditions, script, model.seed, String(model.hosts.length), String(scale)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = await firstLine(child.stdout)
  const origins = new Map(Object.entries(JSON.parse(line) as Record<string, string>))
  const clock = systemClock({ scale })
  const fetcher = undiciFetcher({ clock })
  try {
    const served = model.withBase((host) => origins.get(host) ?? `http://${host}.invalid`)
    return await contest(contestant, { model: served, clock, fetcher })
  } finally {
    await fetcher.close()
    child.stdin.end()
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('the server of the contest ended before it was ready')
}
