// What the text of a page says beside its items: language, currency, whether it asks for a password or blocks, and whether an amount is on it.
//
// Looked at where a value has changed, and on the first pages of a handler. It is supporting evidence: no page is odd for its words alone.
import { textValue } from './item-fields.ts'

/** What a page shows. */
export interface PageSigns {
  /** Of its language attribute, two letters; empty where it has none. */
  readonly language: string
  /** The sign that most of its amounts have; empty where none has one. */
  readonly currency: string
  /** Fields for a password. */
  readonly logins: number
  /** It has words of pages that block. */
  readonly block: boolean
}

const MAX_BYTES = 512 * 1024
const BLOCK =
  /captcha|access (?:is |was )?denied|are you (?:a )?(?:human|robot)|unusual traffic|(?:been|was) blocked|attention required|verif(?:y|ying) (?:that )?you are|(?:bot|ddos) (?:detection|protection)|request could not be (?:processed|satisfied)|too many requests|just a moment|checking your browser/i
/** One octet a character: the signs are in UTF-8. */
const SIGN = String.raw`\xe2\x82\xac|&euro;|\xc2\xa3|&pound;|US\$|\$|\xc2\xa5|EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|JPY|z\xc5\x82|kr`
const SPACE = String.raw`(?:\s|\xc2\xa0|&nbsp;)?`
const SIGNED = new RegExp(`(${SIGN})${SPACE}\\d|\\d${SPACE}(${SIGN})|"priceCurrency"\\s*:\\s*"([A-Z]{3})"`, 'g')
const NAMES: Readonly<Record<string, string>> = {
  ...{ '\u00e2\u0082\u00ac': 'EUR', '&euro;': 'EUR', '\u00c2\u00a3': 'GBP', '&pound;': 'GBP', US$: 'USD', $: 'USD' },
  '\u00c2\u00a5': 'JPY',
}
/** What stands before an amount that no longer counts. */
const CROSSED =
  /<(?:s|del|strike)\b|\b(?:old|was|strike|crossed|regular|before|former|previous|prev|list-?price|rrp|uvp|msrp|compare|statt|instead)|(?:old|was|regular|list|before|compare)[_-]?price|line-through/i
const CONTEXT = 120

/** One octet a character. */
export function latin1(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_BYTES)).toString('latin1')
}

/** What a page shows, by its text (`latin1`). */
export function signsOf(text: string): PageSigns {
  return {
    language: languageIn(text),
    currency: mostFrequent(currenciesIn(text)),
    logins: text.match(/<input\b[^>]{0,300}\btype\s*=\s*["']?password/gi)?.length ?? 0,
    block: BLOCK.test(text),
  }
}

/** The language that a page says it is in: two letters, or nothing. */
export function languageIn(text: string): string {
  return /<html\b[^>]{0,300}?\blang\s*=\s*["']?([a-z]{2})/i.exec(text)?.[1]?.toLowerCase() ?? ''
}

/** How often amounts are in each currency. */
function currenciesIn(text: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [, before, after, code] of text.matchAll(SIGNED)) {
    const sign = code ?? before ?? after ?? ''
    const name = NAMES[sign] ?? sign
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** The currency of a page that no longer has one of an amount in `before`; undefined: it has, or none. */
export function replacedIn(text: string, before: string): string | undefined {
  const counts = currenciesIn(text)
  return counts[before] === undefined && mostFrequent(counts) !== '' ? mostFrequent(counts) : undefined
}

function mostFrequent(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** How often an amount is on a page, as one that counts or as one that no longer does. */
export function amountsOn(text: string, amount: number, how: 'valid' | 'crossed out' = 'valid'): number {
  return [...text.matchAll(patternOf(amount))].filter(({ index }) => {
    const before = text.slice(Math.max(0, index - CONTEXT), index)
    return (
      (how === 'valid') !== CROSSED.test(before.slice(Math.max(before.lastIndexOf('</') + 1, before.lastIndexOf(',"') + 1, 0)))
    )
  }).length
}

/** Amounts and parts of the title: what is the same on page after page is of the site, not of what the page is about. */
export function constantsOf(text: string): readonly (number | string)[] {
  const amounts = [...text.matchAll(/(?<![\d.,])(\d{1,5})[.,](\d\d)(?![\d.,]\d|\d)/g)].map(([, whole, part]) =>
    Number(`${whole}.${part}`),
  )
  const [, title = ''] = /<title[^>]{0,100}>([^<]{1,300})/i.exec(text) ?? []
  const [, name = ''] = /property=["']?og:site_name["']?\s+content=["']([^"']{1,100})/i.exec(text) ?? []
  const parts = [...title.split(/\s[|\u2013\u2014·-]\s|\s\xe2\x80\x93\s/), title, name].map((part) =>
    textValue(Buffer.from(part, 'latin1').toString()),
  )
  return [...new Set([...amounts, ...parts.filter((part) => part !== '')])]
}

/** Decimals as they are written; a whole number only with a sign, a colon of JSON, or zeros behind it, for small numbers are on each page. */
function patternOf(amount: number): RegExp {
  const [whole = '', decimals = ''] = amount.toFixed(2).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, `[.,'\\s]?`)
  const start = String.raw`(?<![\d]|\d[.,])`
  if (decimals !== '00') return new RegExp(`${start}${grouped}[.,]${decimals.replace(/0$/, '0?')}(?!\\d)`, 'g')
  const signed = `(?:(?:${SIGN})${SPACE}|":\\s?"?)${grouped}(?![\\d.,]\\d|\\d)`
  return new RegExp(`${start}${grouped}[.,]00?(?!\\d)|${signed}|${start}${grouped}${SPACE}(?:${SIGN})`, 'g')
}
