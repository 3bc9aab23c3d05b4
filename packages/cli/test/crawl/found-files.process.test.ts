// Files that nobody named: which of them are run, whose they have to be, and that it is said.
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli, type CliRun } from '../run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-found-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function file(path: string, text: string): Promise<string> {
  const whole = join(folder, path)
  await mkdir(dirname(whole), { recursive: true })
  await writeFile(whole, text)
  return whole
}

/** A configuration that tells when it is run. */
const MARK = "process.stderr.write('it ran\\n')\nexport default { concurrency: 33 }"

const concurrency = (where: string, ...words: string[]): Promise<CliRun> =>
  spawnCli(['check', '--get', 'concurrency', ...words], { folder: join(folder, where) })

/** Nobody else's, as far as this machine knows. */
const STRANGER = 54_321
const isRoot = process.getuid?.() === 0

describe('a configuration that is found', () => {
  it('is none above the nearest package.json', async () => {
    await file('avocet.config.ts', MARK)
    await file('project/package.json', '{"type":"module"}')
    await mkdir(join(folder, 'project/deep/er'), { recursive: true })

    const run = await concurrency('project/deep/er')

    expect(run).toMatchObject({ stdout: '100\n', stderr: '' })
  })

  it('is the one of the project, from any folder of it, and is said', async () => {
    await file('package.json', '{"type":"module"}')
    await file('avocet.config.ts', MARK)
    await mkdir(join(folder, 'deep/er'), { recursive: true })

    const run = await concurrency('deep/er')

    expect(run.stdout).toBe('33\n')
    expect(run.stderr).toBe('configuration: ../../avocet.config.ts\nit ran\n')
  })

  it('is that of the folder alone where there is no project', async () => {
    await file('avocet.config.ts', MARK)
    await mkdir(join(folder, 'deep'))

    expect((await concurrency('deep')).stdout).toBe('100\n')
    expect((await concurrency('.')).stderr).toBe('it ran\n')
  })

  it.each([
    ['a file that anybody can write', 'avocet.config.ts', 0o666],
    ['a folder that anybody can write', '.', 0o777],
  ])('is not run from %s, unless it is named', async (_what, path, mode) => {
    await file('avocet.config.ts', MARK)
    await chmod(join(folder, path), mode)

    const run = await concurrency('.')

    expect(run.stderr).toBe(
      `avocet: ${join(folder, 'avocet.config.ts')}: expected a file that only you can write, got ${path === '.' ? 'a folder' : 'one'} that everybody can write; run ` +
        `chmod o-w ${join(folder, path).replace(/\/$/, '')}, or name the file: --config ${join(folder, 'avocet.config.ts')} (AVO_CONFIG_UNTRUSTED)\n`,
    )
    expect(run.code).toBe(3)
    expect((await concurrency('.', '--config', 'avocet.config.ts')).stdout).toBe('33\n')
  })

  it('may be in a folder of all, like /tmp, where nobody can put another in its place', async () => {
    await file('avocet.config.ts', MARK)
    await chmod(folder, 0o1777)

    expect((await concurrency('.')).stdout).toBe('33\n')
  })

  it.runIf(isRoot)('is not run when another user owns it, nor through a link', async () => {
    const path = await file('theirs/avocet.config.ts', MARK)
    await chown(path, STRANGER, STRANGER)
    await mkdir(join(folder, 'mine'))
    await symlink(path, join(folder, 'mine/avocet.config.ts'))

    for (const where of ['theirs', 'mine']) {
      const run = await concurrency(where)
      expect(run.stderr).toContain('expected a file that belongs to you, got one of user 54321; ')
      expect(run.code).toBe(3)
    }
  })
})

describe('a spider that is found', () => {
  it('is not run for its name when anybody can write it', async () => {
    await file(
      'spiders/one.ts',
      "process.stderr.write('it ran\\n')\nexport default { name: 'x', seeds: [], handlers: { start() {} } }",
    )
    await chmod(join(folder, 'spiders/one.ts'), 0o666)

    const run = await runCli(['check', '--values', 'x'], { folder })

    expect(run.stderr).toContain('expected a file that only you can write')
    expect(run.stderr).not.toContain('it ran')
  })
})
