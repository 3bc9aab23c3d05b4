// `avocet completion`: what may come next on a line that is being typed, and the scripts that ask for it.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { candidatesFor } from '../src/command-line/candidates.ts'
import { COMMANDS } from '../src/command-line/commands.ts'
import { runCli } from './run-cli.ts'

const BIN = fileURLToPath(new URL('../bin/avocet.js', import.meta.url))

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-completion-'))
  await mkdir(join(folder, 'spiders'))
  await mkdir(join(folder, '.avocet'))
  const spider = "throw new Error('completion loads no spider')\nexport default spider({})"
  for (const name of ['quotes.ts', 'spiders/offers.ts', 'quotes.test.ts']) await writeFile(join(folder, name), spider)
  await writeFile(join(folder, 'deploy.ts'), 'export const a = 1')
  await writeFile(join(folder, 'polite.config.ts'), '')
  for (const name of ['quotes.db', 'quotes.db-wal', 'offers.db']) await writeFile(join(folder, '.avocet', name), '')
})
afterAll(() => rm(folder, { recursive: true }))

async function texts(...typed: string[]): Promise<readonly string[]> {
  return (await candidatesFor(typed, folder)).map(({ text }) => text)
}

describe('what may come next', () => {
  it.each([
    [['cra'], ['crawl']],
    [
      ['crawl', ''],
      ['quotes.ts', 'spiders/offers.ts'],
    ],
    [['crawl', 'sp'], ['spiders/offers.ts']],
    [['crawl', '--delay', '2s', 'q'], ['quotes.ts']],
    [['crawl', '--fresh', 'q'], ['quotes.ts']],
    [['crawl', '--conc'], ['--concurrency']],
    [['crawl', '--delay', ''], []],
    [['crawl', '-o', ''], []],
    [['crawl', '--scope', 'd'], ['domain']],
    [['crawl', '--config', ''], ['polite.config.ts']],
    [['simulate', '--web', 'sho'], ['shops']],
    [['simulate', '--web', '=', 'sho'], ['shops']],
    [
      ['status', ''],
      ['.avocet/offers.db', '.avocet/quotes.db'],
    ],
    [['dlq', 'r'], ['retry']],
    [['dlq', 'retry', '.avocet/q'], ['.avocet/quotes.db']],
    [['dlq', '--class', 'ex'], ['exhausted']],
    [['completion', 'z'], ['zsh']],
    [['nonsense', ''], []],
  ])('after %j is %j', async (typed, expected) => {
    expect((await texts(...typed)).toSorted()).toEqual(expected)
  })

  it('is every command, and every option of each', async () => {
    expect(await texts('')).toEqual([...COMMANDS.map(({ name }) => name), '--help', '--version'])
    for (const { name, flags } of COMMANDS) {
      const long = Object.keys(flags).filter((flag) => flag.length > 1)
      expect(await texts(name, '-')).toEqual(expect.arrayContaining(long.map((flag) => `--${flag}`)))
    }
  })

  it('is there for every topic of help', async () => {
    const commands = COMMANDS.map(({ name }) => name)
    expect((await texts('help', '')).filter((topic) => commands.includes(topic))).toEqual(commands)
    for (const topic of (await texts('help', '')).filter((each) => !commands.includes(each)))
      expect((await runCli(['help', topic], { folder })).code).toBe(0)
  })
})

describe('avocet completion', () => {
  it('prints a script for each shell, and for the one in $SHELL', async () => {
    for (const [shell, sign] of [
      ['bash', 'complete -o default -F'],
      ['zsh', '#compdef avocet'],
      ['fish', 'complete -c avocet'],
    ]) {
      expect((await runCli(['completion', shell ?? ''], { folder })).stdout).toContain(sign)
    }
    expect((await runCli(['completion'], { folder, env: { SHELL: '/usr/bin/zsh' } })).stdout).toContain('#compdef avocet')
    const run = await runCli(['completion', 'bsh'], { folder })
    expect(run.stderr).toContain("completion: expected bash, zsh or fish, got 'bsh' (did you mean 'bash'?)")
    expect(run.code).toBe(2)
  })

  it('completes in bash, also a name with blanks in its summary, and leaves files to bash where it knows nothing', async () => {
    const command = join(folder, 'avocet')
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' --conditions=@avocet/source '${BIN}' "$@"\n`)
    await chmod(command, 0o755)
    const press = (...words: string[]): string =>
      `COMP_WORDS=(avocet ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _avocet_complete; printf '<%s>' "\${COMPREPLY[@]}"; echo`
    const script = ['source <(avocet completion bash)', press('sim'), press('crawl', 'spiders/'), press('crawl', '-o', '')].join(
      '\n',
    )

    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    })

    expect(stdout).toBe('<simulate>\n<spiders/offers.ts>\n<>\n')
  })

  it('offers a file name quoted, so that bash runs nothing of it, and none that a terminal would obey', async () => {
    const place = await mkdtemp(join(tmpdir(), 'avocet-completion-evil-'))
    const names = [
      '$(touch pwned).db',
      "it's; `touch pwned` & co.db",
      'plain.db',
      'a\u001b[2Jb.db',
      'two\nlines.db',
      'exe\u202ebd.db',
    ]
    await mkdir(join(place, '.avocet'))
    for (const name of names) await writeFile(join(place, '.avocet', name), '')
    const command = join(place, 'avocet')
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' --conditions=@avocet/source '${BIN}' "$@"\n`)
    await chmod(command, 0o755)
    const script = `source <(avocet completion bash); COMP_WORDS=(avocet status .avocet/); COMP_CWORD=2; _avocet_complete
      eval "printf '<%s>' \${COMPREPLY[*]}"`
    try {
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], {
        cwd: place,
        env: { PATH: `${place}:${process.env['PATH'] ?? ''}` },
      })

      expect([...stdout.matchAll(/<(.*?)>/g)].map(([, name]) => name).toSorted()).toEqual(
        names
          .slice(0, 3)
          .map((name) => `.avocet/${name}`)
          .toSorted(),
      )
      expect(await readdir(place)).not.toContain('pwned')
    } finally {
      await rm(place, { recursive: true })
    }
  })
})
