// Sitemaps: what was written comes back, in any packing and with any noise around it; and of mutated files nothing is thrown and no URL is made up.
import { readList } from '@avocet/plugin-sitemaps'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { mutated } from '../mutated.ts'
import { property, type Property } from '../property.ts'
import { SITEMAP_TOKENS } from '../tokens.ts'

const AT = 'https://shop.example/sitemap.xml'
const path = fc
  .array(fc.constantFrom('a', 'b', '/', '-', '?', '=', '&', "'", 'é', '%20', '1'), { maxLength: 12 })
  .map((parts) => `https://shop.example/${parts.join('')}`)
const noise = fc.constantFrom(
  '',
  '\n  ',
  '<changefreq>daily</changefreq>',
  '<!-- <loc>x</loc> -->',
  '<image:image><image:loc>https://shop.example/i</image:loc></image:image>',
)
const entries = fc.array(fc.record({ url: path, before: noise, after: noise, isCdata: fc.boolean() }), { maxLength: 20 })

const escaped = (url: string): string => url.replaceAll('&', '&amp;')

const written = property(
  { name: 'sitemap-written', what: 'the URLs of a sitemap come back in order, packed or not', runs: 1_500 },
  fc.tuple(entries, fc.boolean(), fc.constantFrom('', 's:')),
  async ([all, isPacked, prefix]) => {
    const urls = all.map(
      ({ url, before, after, isCdata }) =>
        `<${prefix}url>${before}<${prefix}loc> ${isCdata ? `<![CDATA[${url}]]>` : escaped(url)}\n</${prefix}loc>${after}</${prefix}url>`,
    )
    const body = Buffer.from(`<?xml version="1.0"?><!-- x --><${prefix}urlset>${urls.join('')}</${prefix}urlset>`)
    const read = await readList(isPacked ? gzipSync(body) : body, { url: AT })
    assert.deepEqual(
      read.urls.map(({ url }) => url),
      all.map(({ url }) => new URL(url).href),
    )
    assert.equal(read.problem, undefined)
  },
)

const files = [
  '<urlset><url><loc>https://shop.example/a</loc><lastmod>2026-01-01</lastmod></url></urlset>',
  '<rss><item><link>https://shop.example/a</link></item></rss>',
  '<feed><entry><link href="/a"/></entry></feed>',
  '{"items":[{"url":"https://shop.example/a"}]}',
  'https://shop.example/a\n',
].map((text) => Buffer.from(text))

const anything = property(
  { name: 'sitemap-mutated', what: 'of any bytes a list of http(s) URLs is read, with dates that are moments', runs: 2_000 },
  mutated({ files, tokens: SITEMAP_TOKENS }),
  async (body) => {
    const { urls } = await readList(body, { url: AT })
    for (const { url, modifiedAt = 1, priority = 0 } of urls) {
      assert.match(url, /^https?:\/\//)
      assert.ok(Number.isFinite(modifiedAt) && modifiedAt > 0 && priority >= 0 && priority <= 1)
    }
  },
)

export const SITEMAP_PROPERTIES: readonly Property[] = [written, anything]
