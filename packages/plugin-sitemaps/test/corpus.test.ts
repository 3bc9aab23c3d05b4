// What other crawlers' tests say of sitemaps: a few rows that are kept here, and all of the corpus where it is present.
import { readList } from '@avocet/plugin-sitemaps'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KEPT_ROWS } from './kept-rows.ts'

/** Beside the checkout, where there is one. */
const CORPUS = join(import.meta.dirname, '../../../../shared/corpora/sitemaps')

interface Row {
  readonly source: string
  readonly file: string
  readonly url: string
  readonly contentType: string
  readonly strict: boolean
  readonly urls: readonly string[]
}

const listed = (urls: readonly { readonly url: string }[]): readonly string[] =>
  [...new Set(urls.map(({ url }) => url))].toSorted()

describe('sitemaps that other crawlers are tested with', () => {
  it.each(KEPT_ROWS)('$source', async ({ body, url, strict, urls }) => {
    const read = await readList(new TextEncoder().encode(body), { url, strict })

    expect(listed(read.urls)).toEqual(urls.toSorted())
  })
})

describe.skipIf(!existsSync(CORPUS))('the corpus of sitemaps', () => {
  const rows = existsSync(CORPUS) ? (JSON.parse(readFileSync(join(CORPUS, 'cases.json'), 'utf8')) as readonly Row[]) : []

  it.each(rows)('$file: $source', async ({ file, url, contentType, strict, urls }) => {
    const read = await readList(readFileSync(join(CORPUS, file)), { url, contentType, strict })

    expect(listed(read.urls)).toEqual(urls.toSorted())
  })
})
