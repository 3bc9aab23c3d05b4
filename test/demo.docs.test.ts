// The demo: it keeps its store, writes its report, and every command that it prints does what it says, typed as it is printed.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createPort, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileContent } from '../packages/cli/test/file-content.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** What `npm run demo` is in package.json, behind the build. */
const DEMO = 'node examples/demo/main.ts'

let clone: string
let printed: string
let port: number
let site: Server

/** Types a command in the clone, and gives what it printed; throws where it failed. */
async function typed(command: string): Promise<string> {
  const { address, port } = site.address() as AddressInfo
  const meant = command
    .replace(/^npm run demo( --)?/, DEMO)
    .replace(/^npx avocet/, `node ${join(clone, 'packages/cli/bin/avocet.js')}`)
    // A site of yours.
    .replace('https://your.example/', `http://${address}:${port}/`)
  const [program = '', ...words] = meant.split(' ')
  const env = { ...process.env, npm_command: 'run-script' }
  const { stdout, stderr } = await run(program === 'node' ? process.execPath : program, words, {
    cwd: clone,
    env,
    timeout: 120_000,
  })
  return stdout + stderr
}

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'avocet-demo-'))
  cpSync(join(ROOT, 'examples/demo'), join(clone, 'examples/demo'), { recursive: true })
  for (const shared of ['node_modules', 'packages', 'package.json', 'tsconfig.base.json'])
    symlinkSync(join(ROOT, shared), join(clone, shared))
  site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>Yours</title>'))
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
  port = await freePort()
  printed = await typed(`npm run demo -- --port ${port}`)
}, 120_000)

afterAll(() => {
  site.close()
  rmSync(clone, { recursive: true, force: true })
})

describe('the demo', () => {
  it('is what npm runs', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

    expect(scripts['demo']).toBe(`tsc -b && node scripts/bundle-page.ts && ${DEMO}`)
  })

  it('finds every page that it must, once', () => {
    expect(printed).toContain('Of 1332 pages of hosts that are well, slow or refusing, 1332 found, 0 twice.')
  })

  it('writes its report, and prints a link to it, and its path', () => {
    const [link = ''] = /file:\/\/\S+/.exec(printed) ?? []
    const path = fileURLToPath(link)
    const page = readFileSync(path, 'utf8')

    expect(path).toBe(join(clone, '.avocet/demo.html'))
    expect(printed.split('\n')).toContain(`  ${path}`)
    expect(Object.keys(fileContent(page)).some((view) => view.startsWith('host 127.42.0.1'))).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('says what shows the page of a store with nothing left to crawl, and begins no crawl that ends at once', async () => {
    const said = await typed(`npm run demo -- --port ${port} --ui`)

    expect(said).toContain('npx avocet ui .avocet/demo.db')
    expect(said).toContain(`npm run demo -- --port ${port} --fresh --ui`)
    expect(said).not.toContain('watch it in a browser')
  }, 60_000)

  it('prints commands that work as they are printed', async () => {
    const all = [...new Set(printed.match(/(?:npx avocet|npm run) [^\n]*?(?=\s{2,}|\n|$)/g))].toSorted().toReversed()
    expect(all.length).toBeGreaterThanOrEqual(8)
    // Does once more what began this test: the whole demo.
    const commands = all.filter((command) => !command.includes('--fresh'))

    const answers = new Map<string, string>()
    for (const command of commands) answers.set(command, await typed(command))

    const answerTo = (part: RegExp): string | undefined => [...answers].find(([command]) => part.test(command))?.[1]
    expect(answerTo(/report \S+demo.db$/)).toContain('127.42.0.1')
    expect(answerTo(/report demo$/)).toContain('127.42.0.1')
    expect(answerTo(/hosts/)).toContain('127.42.0.1')
    expect(answerTo(/failed list/)).toContain('http-404')
    expect(answerTo(/npm run demo -- --port \d+$/)).toContain('1332 found, 0 twice')
    expect(readFileSync(join(clone, 'pages.jsonl'), 'utf8')).toContain('Yours')
  }, 180_000)
})

/** Where the demo's own port may be taken. */
async function freePort(): Promise<number> {
  const server = createPort()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
