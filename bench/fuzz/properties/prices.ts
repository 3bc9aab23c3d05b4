// Prices: what the platform writes in twenty locales is read back, without a hint never as something else; and JSON of pages, which never throws.
import { offerOf, parsePrice } from '@avocet/extract'
import { recordedPage } from '@avocet/simulator'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { lenientJson } from '../../../packages/page/src/data/json-ld.ts'
import { property, type Property } from '../property.ts'
import { JSON_TOKENS, PRICE_TOKENS } from '../tokens.ts'

/** Locales with the currency of their shops. */
const LOCALES = [
  ...[
    'de-DE EUR',
    'de-AT EUR',
    'de-CH CHF',
    'fr-FR EUR',
    'fr-CA CAD',
    'en-GB GBP',
    'en-US USD',
    'en-IE EUR',
    'en-IN INR',
    'hi-IN INR',
  ],
  ...[
    'ja-JP JPY',
    'zh-CN CNY',
    'ko-KR KRW',
    'pt-BR BRL',
    'es-ES EUR',
    'es-MX MXN',
    'it-IT EUR',
    'pl-PL PLN',
    'sv-SE SEK',
    'ru-RU RUB',
  ],
  ...[
    'ar-SA SAR',
    'fa-IR EUR',
    'tr-TR TRY',
    'cs-CZ CZK',
    'hu-HU HUF',
    'nb-NO NOK',
    'vi-VN VND',
    'th-TH THB',
    'bn-BD BDT',
    'da-DK DKK',
  ],
].map((pair) => {
  const [locale = '', currency = ''] = pair.split(' ')
  return { locale, currency }
})

const amount = fc.integer({ min: 0, max: 999_999_999 }).map((cents) => cents / 100)
const display = fc.constantFrom('symbol' as const, 'code' as const, 'narrowSymbol' as const)

const formatted = property(
  {
    name: 'prices',
    what: 'a price that the platform formats for a locale is that amount, and without a hint that amount or none',
    runs: 4_000,
  },
  fc.record({ place: fc.constantFrom(...LOCALES), amount, currencyDisplay: display, whole: fc.boolean() }),
  ({ place: { locale, currency }, amount: given, currencyDisplay, whole }) => {
    const digits = whole ? { maximumFractionDigits: 0, minimumFractionDigits: 0 } : {}
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay, ...digits })
    const fraction = format.resolvedOptions().maximumFractionDigits ?? 2
    const value = Number(given.toFixed(fraction))
    const text = format.format(value)
    const decimal = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
    const hint = decimal === ',' || decimal === '.' ? { locale, currency } : { currency }
    assert.equal(parsePrice(text, hint).price?.value, value, `${text} with a hint`)
    const alone = parsePrice(text)
    if (alone.price !== undefined) assert.equal(alone.price.value, value, text)
  },
)

const soup = (tokens: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...tokens) }, fc.string({ maxLength: 4 })), { maxLength: 16 })
    .map((all) => all.join(''))

const sane = property(
  {
    name: 'prices-sane',
    what: 'whatever a text is, its price is decimal text that is its number, no range ends below its beginning, or there is a reason',
    runs: 4_000,
  },
  fc.record({ text: soup(PRICE_TOKENS), decimal: fc.constantFrom('.' as const, ',' as const, undefined) }),
  ({ text, decimal }) => {
    const reading = parsePrice(text, decimal === undefined ? {} : { decimal })
    if (reading.price === undefined) return assert.ok(reading.reason.length > 0)
    const { price } = reading
    for (const each of [price, price.high ?? price]) {
      assert.match(each.text, /^(?:0|[1-9]\d*)(?:\.\d+)?$/)
      assert.equal(Number(each.text), each.value)
    }
    assert.ok((price.high?.value ?? Infinity) > price.value)
  },
)

const json = property(
  {
    name: 'lenient-json',
    what: 'what is JSON is read as JSON, with commas too many and comments as well, and whatever else is broken throws nothing',
    runs: 4_000,
  },
  fc.record({ value: fc.jsonValue(), noise: soup(JSON_TOKENS) }),
  ({ value, noise }) => {
    const text = JSON.stringify(value)
    assert.deepEqual(lenientJson(text), JSON.parse(text))
    assert.deepEqual(lenientJson(`<!--\n{"a":${text},}\n-->;`), JSON.parse(`{"a":${text}}`))
    lenientJson(noise)
    const page = recordedPage({
      url: 'https://shop.example/',
      body: `<script type="application/ld+json">${noise}</script><p itemscope itemtype="https://schema.org/Product">${noise}`,
    })
    offerOf(page)
  },
)

/** All of this file. */
export const PRICE_PROPERTIES: readonly Property[] = [formatted, sane, json]
