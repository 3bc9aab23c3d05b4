// The commands of the bench say in one sentence which options they have, when one is misspelled: nothing runs, and nobody reads a stack.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const COMMANDS = Object.entries(scripts).flatMap(([name, script]) => {
  const file = /(?:bench\/\S+|scripts\/try-scaffold)\.ts/.exec(script)?.[0]
  return file === undefined ? [] : [[name, file] as const]
})

async function run(file: string, ...words: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const flags = ['--conditions=@avocet/source', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, join(ROOT, file), ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { stderr: await text(child.stderr), code: await exit }
}

describe('a command of the bench', () => {
  it.each(COMMANDS)('%s refuses an option that it does not have, in one sentence', { timeout: 30_000 }, async (name, file) => {
    const { code, stderr } = await run(file, '--foo')

    expect(stderr).toMatch(new RegExp(`^${name}: expected (?:no options|options of --[^\\n]*), got --foo[^\\n]*\\n$`))
    expect(code).toBe(2)
  })

  it('bench:frontier refuses a store and rounds that there are not', async () => {
    const [store, rounds] = await Promise.all([
      run('bench/frontier.ts', '--store', 'redis'),
      run('bench/frontier.ts', '--store', 'postgres', '--rounds', '0'),
    ])

    expect(store.stderr).toBe('bench:frontier: expected --store sqlite or --store postgres, got redis\n')
    expect(rounds.stderr).toBe('bench:frontier: expected --rounds of 1 to 99, got 0\n')
    expect([store.code, rounds.code]).toEqual([2, 2])
  })

  it('says what was probably meant, and what a value or a word is expected for', async () => {
    const [misspelled, bare, word] = await Promise.all([
      run('bench/fuzz/main.ts', '--minuets', '3'),
      run('bench/fuzz/main.ts', '--minutes'),
      run('bench/fuzz/main.ts', 'json'),
    ])

    expect(misspelled.stderr).toBe(
      "fuzz: expected options of --minutes VALUE, --seed VALUE, --only VALUE, --path VALUE, --json, got --minuets (did you mean '--minutes'?)\n",
    )
    expect(bare.stderr).toBe('fuzz: expected a value after --minutes, got none\n')
    expect(word.stderr).toBe(
      'fuzz: expected options of --minutes VALUE, --seed VALUE, --only VALUE, --path VALUE, --json, got the word json\n',
    )
    expect([misspelled.code, bare.code, word.code]).toEqual([2, 2, 2])
  })
})
