// `npm run release` publishes each package once, what others need first, with the address of its source; a release that broke off goes on.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Published {
  readonly name: string
  readonly 'dist-tags': { readonly latest: string }
  readonly versions: Readonly<Record<string, { readonly repository?: { readonly url: string; readonly directory: string } }>>
}

/** A registry that takes packages, and fails at one name. */
class Registry {
  readonly packages: Published[] = []
  failsAt: string | undefined
  readonly #server: Server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    const send = (status: number, body: unknown): void => void response.writeHead(status).end(JSON.stringify(body))
    if (request.method !== 'PUT') {
      const known = this.packages.find((one) => one.name === name)
      return send(known ? 200 : 404, known ?? { error: 'Not found' })
    }
    if (name === this.failsAt) return send(500, { error: 'out of order' })
    void text(request).then((body) => {
      this.packages.push(JSON.parse(body) as Published)
      send(201, {})
    })
  })

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/** A repository with two packages: birds needs eggs. */
function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'avocet-release-test-'))
  const eggs = { name: '@nest/eggs', version: '1.2.0', license: 'MIT' }
  for (const json of [{ name: '@nest/birds', version: '1.2.0', license: 'MIT', dependencies: { '@nest/eggs': '1.2.0' } }, eggs]) {
    const folder = join(root, 'packages', json.name.slice(6))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify(json))
    writeFileSync(join(folder, 'index.js'), '')
  }
  const git = (...words: string[]): unknown => execFileSync('git', words, { cwd: root })
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=a test', '-c', 'user.email=test@example.org', 'commit', '-qm', 'two packages')
  return root
}

const SOURCE = ['--repository', 'https://git.example/birds/nest']

describe('npm run release', { timeout: 60_000 }, () => {
  const registry = new Registry()
  const root = repository()
  const home = mkdtempSync(join(tmpdir(), 'avocet-release-home-'))
  let address = ''

  beforeAll(async () => {
    address = await registry.open()
    writeFileSync(join(home, '.npmrc'), `//${new URL(address).host}/:_authToken=of-a-test\nfetch-retries=0\n`)
  })
  afterAll(() => {
    registry.close()
    for (const folder of [root, home]) rmSync(folder, { recursive: true })
  })

  const release = async (...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    const npmrc = { npm_config_userconfig: join(home, '.npmrc'), npm_config_cache: join(home, 'cache') }
    const script = join(import.meta.dirname, '../scripts/release.ts')
    const child = spawn(process.execPath, [script, '--registry', address, ...words], {
      cwd: root,
      env: { ...process.env, ...npmrc },
    })
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ])
    return { code, stdout, stderr }
  }

  it('wants to know where the source is', async () => {
    const { code, stderr } = await release('--dry-run')

    expect(code).toBe(1)
    expect(stderr).toBe('release: expected --repository with the https address of the source, got nothing\n')
  })

  it('says what would be published, and publishes nothing', async () => {
    const { code, stdout } = await release('--dry-run', ...SOURCE)

    expect(code).toBe(0)
    expect(stdout).toBe('would go  @nest/eggs@1.2.0\nwould go  @nest/birds@1.2.0\n')
    expect(registry.packages).toEqual([])
  })

  it('publishes nothing that is not committed', async () => {
    writeFileSync(join(root, 'packages/eggs/index.js'), 'export {}')

    const { code, stderr } = await release(...SOURCE)

    execFileSync('git', ['checkout', '-q', '.'], { cwd: root })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^release: expected a clean working tree, got changes; commit them first\n M packages\/eggs\/index\.js/,
    )
    expect(registry.packages).toEqual([])
  })

  it('goes on where it broke off, with every package published once, what others need first, and told where its source is', async () => {
    registry.failsAt = '@nest/birds'
    const broken = await release(...SOURCE)
    registry.failsAt = undefined
    const { code, stdout } = await release(...SOURCE)

    expect(broken.code).toBe(1)
    expect(broken.stderr).toContain('release: npm publish @nest/birds: expected exit code 0')
    expect(code).toBe(0)
    expect(stdout).toBe('is there  @nest/eggs@1.2.0\npublish   @nest/birds@1.2.0\n')
    expect(registry.packages.map(({ name }) => name)).toEqual(['@nest/eggs', '@nest/birds'])
    const source = { type: 'git', url: 'git+https://git.example/birds/nest.git', directory: 'packages/eggs' }
    expect(registry.packages[0]?.versions['1.2.0']?.repository).toEqual(source)
  })
})
