// `avocet service print`: what it prints is what systemd and pm2 take, and runs the crawl that was typed.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'avocet-service-')))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(folder, 'shop.js'),
    `export default { name: 'shop', seeds: ['https://shop.example/'], handlers: { *start() {} } }`,
  )
})
afterEach(() => rm(folder, { recursive: true }))

function print(...words: readonly string[]): Promise<CliRun> {
  return runCli(['service', 'print', ...words], { folder })
}

/** The values of each key of a unit. */
function valuesIn(unit: string): Record<string, string> {
  return Object.fromEntries([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]))
}

describe('avocet service print', { timeout: 60_000 }, () => {
  it.each([
    [['docker', 'shop.js'], "service print: expected systemd or pm2, got 'docker'"],
    [['systemdd', 'https://shop.example/'], "got 'systemdd' (did you mean 'systemd'?)"],
    [
      ['pm3'],
      "service print: expected systemd or pm2, or a file, a URL or the name of a spider, got 'pm3' (did you mean 'pm2'?)",
    ],
  ])('says which kinds there are: %j', async (words, why) => {
    const { code, stdout, stderr } = await print(...words)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(why)
  })

  it('prints no crawl that would end at once, because of its password or its log', async () => {
    const page = ['--ui', '0.0.0.0:8042', '--ui-password-file']
    const missing = await print('shop.js', ...page, 'missing')
    await writeFile(join(folder, 'password'), 'short\n')
    const short = await print('pm2', 'shop.js', ...page, 'password')
    const log = await print('shop.js', '--log-file', 'shop.js')

    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain(
      '--ui-password-file: expected a file with a password in its first line, got nothing at missing',
    )
    expect(short.stderr).toContain('--ui-password-file: expected a first line of at least 8 characters, got 5')
    expect(log.stderr).toContain('--log-file: expected a file of its own, got shop.js, which is no log')
  })

  it.each([[['--ui']], [['--ui', '8042']], [['--ui', '0', '--ui-password-file', 'password']]])(
    'prints no crawl whose page has another address, or another token, after each restart: %j',
    async (page) => {
      await writeFile(join(folder, 'password'), 'correct horse\n')
      const { code, stderr } = await print('pm2', 'shop.js', ...page)

      expect(code).toBe(2)
      expect(stderr).toContain('expected --ui with a port and --ui-password-file')
    },
  )

  it('prints a unit of systemd that runs the crawl that was typed, from anywhere', async () => {
    const { code, stdout, stderr } = await print(
      'shop.js',
      '-o',
      'out/items.jsonl',
      '--every',
      '1h',
      '--user-agent',
      'shop 100% (+https://bot.example)',
    )
    const unit = valuesIn(stdout)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(unit).toMatchObject({
      Type: 'notify',
      NotifyAccess: 'all',
      WorkingDirectory: folder,
      Restart: 'on-failure',
      RestartPreventExitStatus: '2 3 6 11 69',
      SuccessExitStatus: '130 143',
      TimeoutStopSec: '90',
      WatchdogSec: '300',
      ReadWritePaths: `${folder}/.avocet ${folder}/out`,
    })
    expect(unit['ExecStart']).toMatch(
      /^\/\S+ \/\S+\/bin\/avocet\.js crawl shop\.js --every 1h -o out\/items\.jsonl --user-agent "shop 100%% \(\+https:\/\/bot\.example\)"$/,
    )
  })

  it('gives a stop the time that the configuration gives requests in flight, and more', async () => {
    await writeFile(join(folder, 'avocet.config.js'), 'export default { drainMs: 300_000 }')

    expect(valuesIn((await print('shop.js')).stdout)).toMatchObject({ TimeoutStopSec: '360' })
  })

  it.skipIf(!hasSystemd)('is taken by systemd-analyze verify without a word', async () => {
    await mkdir(join(folder, 'units'))
    const path = join(folder, 'units/avocet-shop.service')
    await writeFile(path, (await print('shop.js', '--user-agent', 'shop $HOME "a" \\ b')).stdout)

    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  // What pm2 has for a process that a signal killed is exit code 0.
  it('prints a file for pm2, with which a crawl that was killed is started again', async () => {
    const { stdout } = await print('pm2', 'shop.js', '--every', '1h')
    await writeFile(join(folder, 'ecosystem.config.cjs'), stdout)
    const { apps } = createRequire(join(folder, 'x.js'))('./ecosystem.config.cjs') as { apps: object[] }

    expect(apps).toEqual([
      expect.objectContaining({
        name: 'avocet-shop',
        cwd: folder,
        args: ['crawl', 'shop.js', '--every', '1h'],
        kill_timeout: 90_000,
        stop_exit_codes: [2, 3, 6, 11, 69, 130, 143],
      }),
    ])
  })

  it('prints no secret, and nothing for a crawl that would not begin', async () => {
    const secret = await print('shop.js', '--header', 'authorization: Bearer abc')
    const missing = await print('missing.js')
    const fresh = await print('shop.js', '--fresh')
    const inMemory = await print('shop.js', '--store', ':memory:')

    expect(secret).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('got one in --header') as string })
    expect(secret.stderr).not.toContain('abc')
    expect([missing, fresh, inMemory].map(({ stdout }) => stdout)).toEqual(['', '', ''])
    expect([missing, fresh, inMemory].map(({ code }) => code)).toEqual([expect.any(Number), 2, 2])
    expect(missing.code).not.toBe(0)
  })
})
