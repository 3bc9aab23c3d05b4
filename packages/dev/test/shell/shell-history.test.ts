// The history of the shell holds what was typed, tokens perhaps: nobody else may read it.
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { historyIn, keptLine } from '../../src/shell/conversation.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'avocet-history-'))
})
afterEach(() => rm(home, { recursive: true }))

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

describe('the history of the shell', () => {
  it('is made for its user alone, whatever the umask', async () => {
    const before = process.umask(0)
    const path = await historyIn(home).finally(() => process.umask(before))

    expect(await modeOf(path ?? '')).toBe('600')
  })

  it('is taken away from everybody else where an earlier version left it open, with what it holds', async () => {
    const path = (await historyIn(home)) ?? ''
    await writeFile(path, "fetch('/?token=1')\n")
    await chmod(path, 0o644)

    expect(await historyIn(home)).toBe(path)
    expect(await modeOf(path)).toBe('600')
    expect(await readFile(path, 'utf8')).toBe("fetch('/?token=1')\n")
  })

  it('is not written through a link, nor where there is no home: the shell does without', async () => {
    await writeFile(join(home, 'victim'), '')
    await symlink(join(home, 'victim'), join(home, '.avocet_shell_history'))

    expect(await historyIn(home)).toBeUndefined()
    expect(await modeOf(join(home, 'victim'))).toBe('644')
    expect(await historyIn(join(home, 'none'))).toBeUndefined()
  })

  it.each([
    ["fetch('https://me:pass@shop.test/?sid=abc&p=1')", "fetch('https://shop.test/?sid=__secret__&p=1')"],
    ["fetch('/list?p=1&SID=abc')", "fetch('/list?p=1&SID=__secret__')"],
    ["fetch(url, { headers: { authorization: 'Bearer x' } })", undefined],
    ['password = "x"', undefined],
    ["fetch(url, { headers: { 'x-access-key': 'x' } })", undefined],
    ["const jwt = 'x'", undefined],
    ["fields['x-pwd'] = 'x'", undefined],
    ["fields.set('X-Auth', 'x')", undefined],
    ['author = text(".author")', 'author = text(".author")'],
    ['{ tokensLeft: 3, keywords: [] }', '{ tokensLeft: 3, keywords: [] }'],
    ['x'.repeat(2_001), undefined],
    ["text('.token')", "text('.token')"],
  ])('keeps %s without its secrets', (line, kept) => {
    expect(keptLine(line, ['sid'])).toBe(kept)
  })
})
