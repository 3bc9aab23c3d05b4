// Core names no feature: what a crawl may do without (logins, secrets, sitemaps, endless sites, recrawls) is named in the package that does it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '../packages/core/src')

/** What is left, by feature. Comments may name one as an example. */
const LEFT = {
  /** A spider has its type, and is checked, before any package is loaded. */
  login: ['crawl/settings-of.ts', 'ports/spider.ts'],
  /** Options of every crawl, names in core's memory of it, the form of a value in the store, and a code of failures. */
  secret: [
    'crawl/crawl-scope.ts',
    'crawl/open-run.ts',
    'crawl/settings-of.ts',
    'exchange/fault-judge.ts',
    'hosts/core-memory.ts',
    'ports/codec.ts',
    'ports/config.ts',
    'run/late-codec.ts',
    'values/errors.ts',
    'values/hidden.ts',
  ],
  sitemap: [],
  /** A reason of the scope, for paths that repeat themselves: stores and reports have it. */
  trap: ['url/scope.ts'],
  /** An option of every crawl, and the name of a policy. */
  recrawl: ['index.ts', 'ports/config.ts', 'ports/plugin.ts'],
} as const

const WORDS: Readonly<Record<keyof typeof LEFT, RegExp>> = {
  login: /log-?in|logged_?out/i,
  secret: /secret/i,
  sitemap: /sitemap/i,
  trap: /trap/i,
  recrawl: /(?<!co)recrawl/i,
}

describe('core', () => {
  const code = globSync('**/*.ts', { cwd: SOURCES })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '') }))

  it.each(Object.entries(WORDS))('names the feature %s where it must, and in no other file', (feature, word) => {
    const files = code.filter(({ text }) => word.test(text)).map(({ path }) => path)

    expect(files).toEqual(LEFT[feature as keyof typeof LEFT])
  })
})
