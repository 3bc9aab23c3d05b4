// Real processes, real sockets: who comes later gets its share of the hosts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const HOSTS = 24

interface Asked {
  readonly by: string
  readonly at: number
}

/** A server that is many hosts, all of 127.0.1.0/24, and says who asked when. */
async function manyHosts(): Promise<{ seeds: string[]; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    asked.push({ by: request.headers['user-agent'] ?? '', at: performance.now() })
    response.setHeader('content-type', 'text/html')
    response.end(`<p>page ${request.url}</p>`)
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { seeds: Array.from({ length: HOSTS }, (_, n) => `http://127.0.1.${n + 1}:${port}/0`), asked }
}

// Only Linux answers on all of 127.0.0.0/8.
it.skipIf(process.platform !== 'linux')(
  'three processes that start one after the other each have their share of the pages',
  async () => {
    const folder = temporaryFolder()
    onTestFinished(() => folder.dispose())
    const { seeds, asked } = await manyHosts()
    const begin = (name: string): void => {
      const words = [join(import.meta.dirname, 'sharing-crawler.ts'), join(folder.path, 'store.db'), name, '60000', ...seeds]
      const child = spawn(process.execPath, ['--conditions=@avocet/source', ...words], { stdio: 'inherit' })
      onTestFinished(() => void child.kill('SIGKILL'))
    }
    const pages = (by: string, since: number): number => asked.filter((one) => one.by === by && one.at >= since).length
    const heard = async (by: string, count: number, since = 0): Promise<void> => {
      while (pages(by, since) < count) await new Promise((resolve) => setTimeout(resolve, 20))
    }

    begin('first')
    await heard('first', 300)
    const secondBegins = performance.now()
    begin('second')
    await heard('second', 300)
    expect(pages('second', 0)).toBeGreaterThan((pages('first', secondBegins) + pages('second', 0)) / 4)
    const together = performance.now()
    await heard('second', 300, together)
    expect(pages('second', together)).toBeGreaterThan((pages('first', together) + pages('second', together)) / 3)

    begin('third')
    await heard('third', 200)
    const allThree = performance.now()
    await heard('third', 200, allThree)
    const shares = ['first', 'second', 'third'].map((by) => pages(by, allThree))
    expect(Math.min(...shares)).toBeGreaterThan(shares.reduce((sum, share) => sum + share, 0) / 5)
  },
  90_000,
)
