// Takes the README at its word: compiles its TypeScript, and walks its tour with the real command against a site on this machine.
import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { quotes, siteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { describe, expect, it } from 'vitest'
import { codeBlocks, ROOT, type CodeBlock } from './documents/code-blocks.ts'
import { sandbox } from './documents/sandbox.ts'

/** Blocks that CI runs as they are, the one that serves the site in a terminal of its own, and the one that makes the folder. */
const ELSEWHERE = [
  /^npm ci && npm run demo .*\nnpm run demo:two .*\nnpm ci && npm test .*\n$/,
  /^npm run site\n$/,
  /^mkdir tour && cd tour\n$/,
]

/** Where the README says that the site is. */
const SITE = '127.42.0.1:8042'

const readme = codeBlocks('README.md')
const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('examples/*/README.md', { cwd: ROOT })]

describe('README.md', () => {
  it('names its files, and every TypeScript block of it and of the examples compiles', async () => {
    using place = sandbox()
    const blocks = documents.flatMap((path) => codeBlocks(path)).filter(({ language }) => language === 'ts')
    for (const block of blocks) place.write(fileOf(block), block.code)

    expect(blocks.map(fileOf)).toEqual(['quotes.ts', 'avocet.config.ts'])
    expect(await place.typeErrors()).toEqual([])
  })

  it('is read in three minutes', () => {
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8').split(/\s+/).length).toBeLessThanOrEqual(700)
  })

  it('links to what is there', () => {
    const links = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      (match) => match[1] ?? '',
    )

    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([])
  })

  it('names scripts that are there', () => {
    const named = documents.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => ({
        path,
        name: match[1] ?? '',
      })),
    )

    expect(named.map(({ name }) => name)).toContain('demo')
    expect(named.filter(({ path, name }) => !scriptsAround(path).includes(name))).toEqual([])
  })

  it('gives a tour that can be walked: kill -9 in the middle loses no quote and doubles none', { timeout: 180_000 }, async () => {
    using place = sandbox()
    const web = await spawnRoughWeb(quotes())
    const said: string[] = []
    try {
      const base = `127.42.0.1:${String(web.port)}`
      for (const block of readme) {
        const code = block.code.replaceAll(SITE, base)
        if (block.language === 'ts') place.write(fileOf(block), code)
        else if (!ELSEWHERE.some((pattern) => pattern.test(block.code)))
          for (const command of code.trim().split('\n')) said.push(await shell(command, place.folder))
      }
    } finally {
      await web.close()
    }

    const linesOf = (name: string): string[] => readFileSync(join(place.folder, name), 'utf8').trim().split(/\r?\n/)
    const quoteLines = linesOf('quotes.csv').slice(1)
    expect(said[0]).toContain('killed')
    expect(said[1]).toContain('at rest, not finished')
    expect(said[2]).toContain('resuming quotes:')
    expect(said[3]).toMatch(/^ {2}state +fine$/m)
    expect(quoteLines).toHaveLength(100)
    expect(new Set(quoteLines).size).toBe(100)
    expect(linesOf('few.jsonl')).toHaveLength(30)
    expect(said[4]).toContain('three-pages-are-enough')
  })
})

describe("the README's plugin", () => {
  it('leaves the policies as they are: robots.txt is obeyed', { timeout: 60_000 }, async () => {
    using place = sandbox()
    const pages = { kind: 'quotes', quotes: 30 } as const
    const robots = { body: 'User-agent: *\nDisallow: /page/2' }
    const web = await spawnRoughWeb(siteModel({ seed: 'forbidding', hosts: [{ name: 'quotes.test', pages, robots }] }))
    try {
      for (const block of readme.filter(({ code }) => /^\/\/ (?:quotes|avocet\.config)\.ts\n/.test(code)))
        place.write(fileOf(block), block.code.replaceAll(SITE, `127.42.0.1:${String(web.port)}`))
      const said = await shell('npx avocet crawl --store few.db -O few.jsonl', place.folder)
      const given = await shell('npx avocet failed list few.db --class all', place.folder)

      expect(said).toContain('policies: robots, rate (aimd), breaker, timeouts (adaptive-timeout), retry; plugins: three-pages\n')
      expect(readFileSync(join(place.folder, 'few.jsonl'), 'utf8').trim().split('\n')).toHaveLength(10)
      expect(given).toMatch(/robots/)
    } finally {
      await web.close()
    }
  })
})

/** `// quotes.ts` in the first line of a block says where it is to be saved. */
function fileOf({ path, line, code }: CodeBlock): string {
  return /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1] ?? `${path}:${String(line)} does not name its file in its first line`
}

/** Scripts of the root, and of the folder that a document stands in. */
function scriptsAround(path: string): readonly string[] {
  return ['package.json', join(dirname(path), 'package.json')].flatMap((name) => {
    if (!existsSync(join(ROOT, name))) return []
    const { scripts = {} } = JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as { scripts?: Record<string, string> }
    return Object.keys(scripts)
  })
}

/** What a command printed. Fails when it failed, unless it was killed as it asked to be. */
async function shell(command: string, folder: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '--conditions=@avocet/source' }
  const child = spawn('sh', ['-c', `${command} 2>&1`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (code, signal) => resolve([code, signal]))
  })
  const output = await text(child.stdout)
  const [code, signal] = await ended
  if (command.startsWith('timeout -s KILL') && (code === 137 || signal === 'SIGKILL')) return `${output}killed`
  expect({ command, code, output: code === 0 ? '' : output }).toEqual({ command, code: 0, output: '' })
  return output
}
