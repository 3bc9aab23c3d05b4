// `-a`: what a spider takes is declared, checked, and shown where somebody looks for it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withoutSecretArguments } from '../../src/crawl/crawl-places.ts'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const AVOCET = fileURLToPath(new URL('../../../avocet/src/index.ts', import.meta.url))

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-arguments-'))
  site = await smallSite(1)
  await mkdir(join(folder, 'spiders'))
  await writeFile(
    join(folder, 'spiders', 'offers.ts'),
    `import { spider, spiderWith } from '${AVOCET}'
const rules = { city: 'text', pages: { type: 'number', default: 10, describe: 'How many pages' }, full: 'flag' } as const
export default spiderWith(rules, (values) =>
  spider({ name: 'offers', seeds: ['${site.url}'], handlers: { start: () => [values] } }),
)
`,
  )
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

describe('a spider with declared arguments', () => {
  it('gets them as what they are', async () => {
    const words = [
      'crawl',
      'spiders/offers.ts',
      '--rate',
      'none',
      '-o',
      '-',
      '-a',
      'city=berlin',
      '-a',
      'pages=3',
      '-a',
      'full=true',
    ]
    expect(JSON.parse((await avocet(...words)).stdout)).toEqual({ city: 'berlin', pages: 3, full: true })
  })

  it.each([
    ['ctiy=berlin', "got ctiy (did you mean 'city'?)"],
    ['pages=3', 'expected a text for city, got nothing; write it like -a city=berlin'],
  ])('refuses -a %s before anything is asked for', async (argument, message) => {
    const { code, stderr } = await avocet('crawl', 'spiders/offers.ts', '-a', argument)

    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message)
    expect([code, site.asked]).toEqual([2, []])
  })

  it('is called by the name of its file where its own name has a value in it', async () => {
    await writeFile(
      join(folder, 'spiders', 'daily.ts'),
      `import { spider, spiderWith } from '${AVOCET}'
export default spiderWith({ city: 'text' }, ({ city }) =>
  spider({ name: \`daily-\${city}\`, seeds: ['${site.url}'], handlers: { *start() { yield { city } } } }))
`,
    )

    const { code, stdout } = await avocet('crawl', 'daily', '-a', 'city=oslo', '--rate', 'none', '-o', '-')

    expect([code, stdout]).toEqual([0, '{"city":"oslo"}\n'])
    expect((await avocet('status', 'daily-oslo')).code).toBe(0)
    expect((await avocet('crawl', 'dialy', '-a', 'city=oslo')).stderr).toContain("or the name of a spider, got 'dialy'")
  })

  it('shows them in its help', async () => {
    expect((await avocet('crawl', 'spiders/offers.ts', '--help')).stdout).toContain(
      [
        'Arguments of spiders/offers.ts:',
        '  -a city=TEXT     [required]',
        '  -a pages=NUMBER  How many pages [default: 10]',
        '  -a full=true',
      ].join('\n'),
    )
  })
})

describe('arguments of a page that is kept', () => {
  it('are without values whose names hold a secret, and no others', () => {
    const secret = { apiKey: 'x', key: 'x', db_pass: 'x', session: 'x' }
    const harmless = { keyword: 'tea', author: 'Ann', passenger: 'Bo' }

    expect(withoutSecretArguments({ ...secret, ...harmless })).toEqual({
      ...Object.fromEntries(Object.keys(secret).map((name) => [name, '…'])),
      ...harmless,
    })
  })
})
