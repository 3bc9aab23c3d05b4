// Commands that messages name, called as this one was; and words of users, which stay as they were typed.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AvocetError } from '@avocet/core'
import { afterAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/command-line/commands.ts'
import { messageAsCalled } from '../../project/src/text/command-line.ts'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'avocet-named-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** By npx. */
const env = { npm_command: 'exec' }

const SOURCES = join(import.meta.dirname, '../src')

/** Help shows commands by their name, as manual pages do. */
const HELP = /^command-line[/](?:commands|command-help)[.]ts$/

describe('a message that names commands', () => {
  it('names them as this one was called, and leaves the words of users as they are', async () => {
    const missing = await runCli(['status', 'old avocet report.db'], { folder, env })
    const none = await runCli(['status'], { folder, env })
    const mistyped = await runCli(['status', '--avocet crawl', '--x'], { folder, env })
    const word = await runCli(['why', 'avocet crawl me', '--store', 'avocet hosts.db'], { folder, env })

    expect(missing.stderr).toContain('/old avocet report.db, found none; ')
    expect(none.stderr).toContain('found none; name one, or begin with npx avocet crawl (AVO_FRONTIER_MISSING)')
    expect(mistyped.stderr).toContain('; see npx avocet status --help')
    expect(`${mistyped.stderr}${word.stderr}`).not.toMatch(/npx avocet crawl me|npx avocet hosts[.]db|--npx/)
  })

  it('quotes a URL in the command that was meant, as a shell takes it', async () => {
    const { stderr } = await runCli(['https://shop.example/?a=1&b=2'], { folder, env })

    expect(stderr).toContain("did you mean npx avocet crawl 'https://shop.example/?a=1&b=2'?")
  })

  it('names those of packages below the command line by npx as well, in the remedy alone', async () => {
    writeFileSync(join(folder, 'my avocet store verify.db'), 'no store at all, whatever its name says'.repeat(200))

    const { stderr } = await runCli(['status', 'my avocet store verify.db'], { folder, env })

    expect(stderr).toContain('/my avocet store verify.db: expected')
    expect(stderr).toContain('sqlite3 STORE .recover | sqlite3 NEW (AVO_FRONTIER_FOREIGN)')
  })

  it('is the same without npx', () => {
    const error = new AvocetError('AVO_FRONTIER_CORRUPT', "expected a store, got 'avocet store verify'", {
      remedy: 'see avocet store verify; avocet status STORE',
    })

    expect(messageAsCalled(error, 'avocet')).toBe(
      "expected a store, got 'avocet store verify'; see avocet store verify; avocet status STORE",
    )
    expect(messageAsCalled(error, 'npx avocet')).toBe(
      "expected a store, got 'avocet store verify'; see npx avocet store verify; npx avocet status STORE",
    )
  })

  it('takes the name from commandName or commandLine, in every file', () => {
    const named = new RegExp(`avocet (?:${COMMANDS.map(({ name }) => name).join('|')}|--|[$][{])`)
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !HELP.test(path),
    )
    const bare = files.flatMap((path) =>
      readFileSync(join(SOURCES, path), 'utf8')
        .split('\n')
        .filter((line) => named.test(line) && !/^ *(?:[/][/]|[/]?[*])/.test(line))
        // What a command.ts declares is help, except its errors.
        .filter((line) => !path.endsWith('command.ts') || /expected|throw/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )

    expect(bare).toEqual([])
  })
})
